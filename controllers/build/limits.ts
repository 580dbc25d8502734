/** How much an upload may be. Every limit is settable, so that tests reach it; the defaults are what the node runs with. */

const MiB = 2 ** 20;
const GiB = 2 ** 30;

export interface UploadLimits {
  /** Bytes of the body as it comes. */
  compressedBytes: number;
  /** Bytes of the tar inside. */
  unpackedBytes: number;
  /** Entries, and directories that only exist because an entry lies below them. */
  entries: number;
  /** Unpacked bytes per compressed byte, once more than `ratioFrom` came out. */
  ratio: number;
  ratioFrom: number;
  /** Segments of a path. */
  depth: number;
  /** Bytes of one segment of a path. */
  segmentBytes: number;
  /** Bytes of a path, and of a link's target. */
  pathBytes: number;
  /** Bytes of one PAX or GNU extension header. */
  extensionBytes: number;
  /** Bytes of all names and link targets together: they are what a check keeps in memory. */
  nameBytes: number;
  /** Path segments walked to prove that no link leaves the upload. */
  linkSteps: number;
  /** Bytes of the largest zstd window: what a decoder keeps in memory. 128 MiB is what `zstd -d` takes by default. */
  windowBytes: number;
  /** zstd frames, skippable ones included. */
  frames: number;
  /** Uploads that are received at once. */
  concurrent: number;
  /** Bytes that stay free on the disk. */
  reserveBytes: number;
}

export const defaultLimits: UploadLimits = {
  compressedBytes: 4 * GiB,
  unpackedBytes: 8 * GiB,
  entries: 250_000,
  ratio: 200,
  ratioFrom: 64 * MiB,
  depth: 128,
  segmentBytes: 255,
  pathBytes: 4_000,
  extensionBytes: MiB,
  nameBytes: 32 * MiB,
  linkSteps: 5_000_000,
  windowBytes: 128 * MiB,
  frames: 250_000,
  concurrent: 16,
  reserveBytes: 512 * MiB,
};

/** Of a repository with its submodules. */
export const repositoryLimits: UploadLimits = { ...defaultLimits, unpackedBytes: 2 * GiB, entries: 200_000 };
