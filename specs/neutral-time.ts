/**
 * The modification time of everything that `svc push` packs, seconds since the epoch: the same tree is the same bytes,
 * whenever it was checked out. It says "no time": the build gets the time of its deployment instead, because servers
 * make validators (Last-Modified, ETag) of a file's time and size, and a new version must not look like the old one.
 * Not 0, because zip-based tools refuse times before 1980; npm packs with this one (1985-10-26T08:15:00Z).
 * Apart from the schema of uploads, which would make the client load a schema library.
 */
export const neutralTime = 499_162_500;
