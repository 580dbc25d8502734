/** What of a service's logs has to go so that they stay within their bounds: replicas that have ended first. Pure. */

export interface KeptFile {
  /** Bytes. */
  size: number;
  /** Number of its last line: microseconds at writing. */
  last: number;
}

/** The files of one replica, oldest first. */
export interface KeptLog {
  replica: string;
  /** Its output is being followed: its newest file is being written to, and stays. */
  isLive: boolean;
  files: readonly KeptFile[];
}

export interface Bounds {
  /** Bytes of a service; a replica that runs keeps its newest file in any case. */
  bytes: number;
  /** Files whose last line has a lower number are too old. */
  oldest: number;
}

/**
 * How many of the oldest files of each replica go; none where nothing is said. What is too old goes; then, while it is too
 * much, the oldest file of a replica that has ended, of the one that printed its last line first; then the oldest
 * of the replica that has most, so that one that prints a lot does not cost the others theirs.
 */
export function surplus(logs: readonly KeptLog[], { bytes, oldest }: Bounds): Map<string, number> {
  const left = logs.map(({ replica, isLive, files }) => {
    const removable = isLive ? files.slice(0, -1) : files;
    const tooOld = removable.findIndex(({ last }) => last >= oldest);
    const gone = tooOld === -1 ? removable.length : tooOld;
    return { replica, isLive, files, gone, removable: removable.length, size: sizeOf(files.slice(gone)) };
  });
  let total = left.reduce((sum, { size }) => sum + size, 0);
  while (total > bytes) {
    const candidates = left.filter(({ gone, removable }) => gone < removable);
    const ended = candidates.filter(({ isLive }) => !isLive);
    const victim =
      ended.length > 0
        ? ended.reduce((a, b) => (lastOf(b.files) < lastOf(a.files) ? b : a))
        : candidates.reduce<(typeof left)[number] | undefined>(
            (a, b) => (a === undefined || b.size > a.size ? b : a),
            undefined,
          );
    if (!victim) break;
    const size = victim.files[victim.gone]?.size ?? 0;
    victim.gone += 1;
    victim.size -= size;
    total -= size;
  }
  return new Map(left.filter(({ gone }) => gone > 0).map(({ replica, gone }) => [replica, gone]));
}

function sizeOf(files: readonly KeptFile[]): number {
  return files.reduce((sum, { size }) => sum + size, 0);
}

function lastOf(files: readonly KeptFile[]): number {
  return files.at(-1)?.last ?? 0;
}
