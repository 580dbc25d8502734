/** Pointers that stand in a repository for files kept in Git LFS (git-lfs, docs/spec.md, "The Pointer"). Pure. */

export interface Pointer {
  /** SHA-256 of the file, in hexadecimal digits. */
  oid: string;
  /** Bytes. */
  size: number;
}

/** Bytes that a pointer has at most, by the specification. */
const longestPointer = 1_024;
const shortestPointer = 100;

const shape =
  /^version https:\/\/git-lfs\.github\.com\/spec\/v1\noid sha256:([0-9a-f]{64})\nsize (\d{1,15})\n?$/;

/** Whether a file of this many bytes may be one. */
export function mayBePointer(size: number): boolean {
  return size >= shortestPointer && size <= longestPointer;
}

/** @param content of a file, whole */
export function parsePointer(content: Buffer): Pointer | undefined {
  const [, oid, size] = shape.exec(content.toString('latin1')) ?? [];
  return oid === undefined ? undefined : { oid, size: Number(size) };
}
