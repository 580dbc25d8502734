/** Conditions: what a controller found, one fact each, in the shape that Kubernetes made standard. */
import { Type, type Static } from '@sinclair/typebox';

export const Condition = Type.Object(
  {
    type: Type.String(),
    status: Type.Union([Type.Literal('True'), Type.Literal('False'), Type.Literal('Unknown')]),
    reason: Type.String({ description: 'one word from specs/reasons.ts, for programs' }),
    message: Type.String({
      description: 'a sentence for people; stable while nothing changes: no ids, no times',
    }),
    last_transition_at: Type.String({ format: 'date-time' }),
  },
  { additionalProperties: false },
);
export type Condition = Static<typeof Condition>;

/** A condition before it is known when it last flipped. */
export type Finding = Omit<Condition, 'last_transition_at'>;

/**
 * Puts findings into a list of conditions. `last_transition_at` moves only when a status flips, and the same list
 * comes back (by identity) when nothing differs, so that an equal write can be skipped.
 * @param at RFC 3339 time of this observation
 */
export function setConditions(
  conditions: readonly Condition[],
  findings: readonly Finding[],
  at: string,
): Condition[] {
  const next = [...conditions];
  for (const finding of findings) {
    const index = next.findIndex((condition) => condition.type === finding.type);
    const before = next[index];
    const flipped = before?.status !== finding.status;
    const condition = { ...finding, last_transition_at: flipped ? at : before.last_transition_at };
    if (index === -1) next.push(condition);
    else next[index] = condition;
  }
  return next;
}
