/** Time and randomness as ports, so that plans and simulations are exact. */

export interface Clock {
  /** Wall clock, milliseconds since the epoch. */
  now(): number;
  /** Runs `fn` once after `ms`; the returned function cancels it. Monotonic: a jump of the wall clock does not move it. */
  after(ms: number, fn: () => void): () => void;
}

/** `count` unpredictable bytes. */
export type Random = (count: number) => Uint8Array;
