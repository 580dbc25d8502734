/** Randomness that comes out the same for the same seed. */
import type { Random } from '../../specs/clock.ts';

/** xorshift32: even enough for ids and jitter, and good for nothing else. */
export function seededRandom(seed = 1): Random {
  let state = seed === 0 ? 1 : seed >>> 0;
  const next = () => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>>= 0);
  };
  return (count) => Uint8Array.from({ length: count }, () => next() & 0xff);
}
