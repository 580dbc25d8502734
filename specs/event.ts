/** Event: what a controller did about an object, or found out about it, and why. Kept for a while; equal ones are counted. */
import { Type, type Static } from '@sinclair/typebox';

export const EventType = Type.Union([Type.Literal('Normal'), Type.Literal('Warning')]);
export type EventType = Static<typeof EventType>;

export const Event = Type.Object({
  id: Type.String(),
  /** When it happened first, and last. */
  at: Type.String({ format: 'date-time' }),
  last_at: Type.String({ format: 'date-time' }),
  count: Type.Integer({ minimum: 1, description: 'how often, from at to last_at' }),
  project_id: Type.String({ description: 'empty: of the node itself, for super-admins' }),
  kind: Type.String({ description: 'of the object: Service, Deployment, Replica, …' }),
  object: Type.String({ description: 'its id' }),
  service_id: Type.Union([Type.String(), Type.Null()], { description: 'of the service that it belongs to' }),
  name: Type.String({ description: 'of the object, for people' }),
  type: EventType,
  reason: Type.String({ description: 'one word from specs/reasons.ts, for programs' }),
  message: Type.String(),
});
export type Event = Static<typeof Event>;

/** What a controller says of an object. */
export type NewEvent = Pick<
  Event,
  'project_id' | 'kind' | 'object' | 'service_id' | 'name' | 'type' | 'reason' | 'message'
>;

/** Where controllers say it. Never rejects, and nobody waits for it: what happened is done, whether it is noted or not. */
export interface EventRecorder {
  record(event: NewEvent): void;
}
