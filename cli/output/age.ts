/** Lengths of time for people. */

/**
 * How long ago, the way kubectl writes it: two units while the number is small (`3m20s`), one after that (`12m`).
 * @param since RFC 3339 time
 * @param now milliseconds since the epoch
 */
export function age(since: string, now: number): string {
  const seconds = Math.max(0, Math.floor((now - Date.parse(since)) / 1000));
  return Number.isNaN(seconds) ? '?' : lasted(seconds);
}

/** So many whole seconds, in the same way. */
export function lasted(seconds: number): string {
  if (seconds < 120) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 10) return two(minutes, 'm', seconds % 60, 's');
  if (minutes < 180) return `${minutes}m`;
  const hours = Math.floor(minutes / 60);
  if (hours < 8) return two(hours, 'h', minutes % 60, 'm');
  if (hours < 48) return `${hours}h`;
  const days = Math.floor(hours / 24);
  return days < 730 ? `${days}d` : two(Math.floor(days / 365), 'y', days % 365, 'd');
}

/** How long a step took: `0.3s`, `12.4s`, `2m05s`. */
export function elapsed(ms: number): string {
  if (ms < 60_000) return `${(ms / 1000).toFixed(1)}s`;
  const seconds = Math.round(ms / 1000);
  return `${Math.floor(seconds / 60)}m${String(seconds % 60).padStart(2, '0')}s`;
}

function two(big: number, bigUnit: string, small: number, smallUnit: string): string {
  return small === 0 ? `${big}${bigUnit}` : `${big}${bigUnit}${small}${smallUnit}`;
}
