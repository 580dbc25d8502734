/** Estimates percentiles from counts per bucket. Pure. */

/**
 * The value below which so large a share of what was counted lies, taken to be spread evenly within its bucket; undefined
 * when nothing was counted. What lies above the last bound counts as the last bound: Prometheus' `histogram_quantile`.
 * @param counts per bucket of `bounds`, and one more for what is above the last
 * @param bounds upper bounds, rising
 * @param share 0.99 for the 99th percentile
 */
export function percentile(
  counts: readonly number[],
  bounds: readonly number[],
  share: number,
): number | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return undefined;
  const rank = share * total;
  let below = 0;
  for (const [bucket, count] of counts.entries()) {
    if (count === 0 || below + count < rank) {
      below += count;
      continue;
    }
    const low = bounds[bucket - 1] ?? 0;
    const high = bounds[bucket] ?? low;
    return low + ((high - low) * (rank - below)) / count;
  }
  return bounds.at(-1);
}
