/** Lines that are kept are bounded. Pure. */

/** Bytes of UTF-8. */
export const longestLine = 16 * 1024;

/** The line, or its beginning and how much is missing. Never cuts within a character. */
export function cutLine(line: string): string {
  if (Buffer.byteLength(line) <= longestLine) return line;
  const bytes = Buffer.from(line);
  let end = longestLine;
  // Bytes 10xxxxxx continue a character: one that would be cut goes whole.
  while ((bytes.readUInt8(end) & 0xc0) === 0x80) end--;
  return `${bytes.toString('utf8', 0, end)}… (cut, ${bytes.length - end} more bytes)`;
}
