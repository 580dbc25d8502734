/** Compares times to the nanosecond: engines write more digits than a Date can hold, and not always the same number. Pure. */

/** Whether RFC 3339 time `a` is later than `b`. */
export function isAfter(a: string, b: string): boolean {
  return nanoseconds(a) > nanoseconds(b);
}

function nanoseconds(time: string): bigint {
  const fraction = /\.(\d+)/.exec(time)?.[1] ?? '';
  const whole = Date.parse(time.replace(/\.\d+/, ''));
  return BigInt(whole) * 1_000_000n + BigInt(fraction.padEnd(9, '0').slice(0, 9));
}
