/** Random fractions from random bytes, so that many keys do not move in step. Pure: the randomness is an argument. */
import type { Random } from '../../specs/clock.ts';

/** A number from `low` up to, but not including, `high`. */
export function between(low: number, high: number, random: Random): number {
  const [a = 0, b = 0, c = 0, d = 0] = random(4);
  return low + ((high - low) * (a * 2 ** 24 + b * 2 ** 16 + c * 2 ** 8 + d)) / 2 ** 32;
}
