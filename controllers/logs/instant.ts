/** Compares times to the nanosecond: engines write more digits than a Date can hold, and not always the same number. Pure. */

/** Below zero when RFC 3339 time `a` is before `b`, above when it is after, zero when they are the same. */
export function compareInstants(a: string, b: string): number {
  if (a === b) return 0;
  // Written alike, in UTC, as one engine writes all of them.
  if (a.length === b.length && a.endsWith('Z') && b.endsWith('Z')) return a < b ? -1 : 1;
  const [one, other] = [nanoseconds(a), nanoseconds(b)];
  return one === other ? 0 : one < other ? -1 : 1;
}

/** Whether RFC 3339 time `a` is later than `b`. */
export function isAfter(a: string, b: string): boolean {
  return compareInstants(a, b) > 0;
}

/** The same time as engines mostly write it: in UTC, with nine digits; what is written alike is compared fast. */
export function inNanoseconds(time: string): string {
  const digits = /\.(\d+)/.exec(time)?.[1] ?? '';
  const second = new Date(Date.parse(time.replace(/\.\d+/, ''))).toISOString().slice(0, 19);
  return `${second}.${digits.padEnd(9, '0').slice(0, 9)}Z`;
}

/** The time half-way between two, to the millisecond. */
export function midway(a: string, b: string): string {
  return new Date((Date.parse(a) + Date.parse(b)) / 2).toISOString();
}

function nanoseconds(time: string): bigint {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? '';
  const whole = Date.parse(time.replace(/\.\d+/, ''));
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9));
}
