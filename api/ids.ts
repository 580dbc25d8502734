/** New ids. Lists are ordered by id, so ids of one process never go back in time, even when the clock does. */
import type { Clock, Random } from '../specs/clock.ts';
import { newId, type IdKind } from '../specs/meta.ts';

export type MakeId = (kind: IdKind) => string;

/** @returns a function whose ids are each greater than all that it gave before for the kind */
export function idMaker(clock: Clock, random: Random): MakeId {
  let last = 0;
  return (kind) => {
    last = Math.max(last + 1, clock.now());
    return newId(kind, last, random(10));
  };
}
