/** What happens to containers and networks, as hints. */
import { Type } from '@sinclair/typebox';
import type { Clock } from '../../../specs/clock.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline } from '../deadline.ts';
import { EngineError, type EngineEvent, type Labels } from '../engine.ts';
import { toEngineError } from '../errors.ts';
import { expect } from '../expect.ts';
import { progressEvents } from '../progress.ts';
import { carries } from './labels.ts';
import { openStream } from './stream.ts';

/** How far back an event stream starts, so that nothing is missed between a list and this. Milliseconds. */
const overlap = 10_000;

/** What the engine writes among a container's labels. */
const attributes = new Set(['image', 'name', 'exitCode', 'signal', 'execID', 'execDuration']);

const Event = Type.Object({
  Type: Type.Optional(Type.String()),
  Action: Type.String(),
  Actor: Type.Object({ ID: Type.String(), Attributes: Type.Record(Type.String(), Type.String()) }),
});

export async function* containerEvents(
  { slow }: Connection,
  clock: Clock,
  labels: Labels,
  signal: AbortSignal,
): AsyncGenerator<EngineEvent, undefined> {
  const hasEnded = (): boolean => signal.aborted;
  if (hasEnded()) return undefined;
  const since = Math.floor((clock.now() - overlap) / 1000);
  // Events of networks and images carry no labels of ours, and a filter by label would keep them away.
  const query = { since, filters: JSON.stringify({ type: ['container', 'network', 'image'] }) };
  try {
    const stream = await withDeadline(clock, 'send events', deadlines.read, (deadline) =>
      openStream(slow, {
        method: 'GET',
        path: '/events',
        query,
        signal: AbortSignal.any([signal, deadline]),
      }),
    );
    for await (const said of progressEvents(stream as AsyncIterable<Buffer>)) {
      const event = eventOf(said);
      if (event && (event.container === null || event.network !== null || carries(event.labels, labels)))
        yield event;
    }
  } catch (error) {
    if (hasEnded()) return undefined;
    throw toEngineError(error, 'send events');
  }
  // Clean or not: no stream of events ends by itself unless the engine goes away.
  if (!hasEnded())
    throw new EngineError(
      'unavailable',
      'The container engine ended the stream of events: list again, then follow on',
    );
  return undefined;
}

function eventOf(event: unknown): EngineEvent | undefined {
  const { Type: kind, Action, Actor } = expect(Event, event, 'an event');
  const nobody = { action: Action, container: null, labels: {}, network: null };
  if (kind === 'image') return Action === 'delete' ? { ...nobody, image: Actor.ID } : undefined;
  if (kind === 'network') {
    const { name = Actor.ID, container = null } = Actor.Attributes;
    return { ...nobody, container, network: name };
  }
  const labels = Object.fromEntries(Object.entries(Actor.Attributes).filter(([key]) => !attributes.has(key)));
  return { action: Action, container: Actor.ID, labels, network: null };
}
