/** Events, as they are listed. */
import type { Event } from '../../specs/event.ts';
import { age } from '../output/age.ts';
import { table } from '../output/table.ts';
import type { Listing, Section } from './kind.ts';

export const eventListing: Listing<Event> = {
  singular: 'event',
  plural: 'events',
  columns: (now) => [
    { header: 'LAST', cell: ({ last_at: at }) => age(at, now) },
    { header: 'TYPE', cell: ({ type }) => type },
    { header: 'REASON', cell: ({ reason }) => reason },
    { header: 'OBJECT', cell: ({ kind, name }) => `${kind.toLowerCase()}/${name}` },
    { header: 'COUNT', cell: ({ count }) => (count === 1 ? '' : String(count)), wide: true },
    { header: 'FIRST', cell: ({ at }) => age(at, now), wide: true },
    { header: 'ID', cell: ({ object }) => object, wide: true },
    {
      header: 'MESSAGE',
      cell: ({ message, count }) => `${firstLine(message)}${count === 1 ? '' : ` (${count} times)`}`,
    },
  ],
  name: ({ id }) => id,
};

/** Shows that more follows: a colon at the end of a row would promise it for the next one. */
function firstLine(message: string): string {
  const [first = '', ...rest] = message.split('\n');
  return rest.length === 0 ? first : `${first} …`;
}

/** @returns them as a log has them: what happened last comes last. The API has them by when each happened first. */
export function asLog(events: readonly Event[]): Event[] {
  return events.toReversed().sort((a, b) => Date.parse(a.last_at) - Date.parse(b.last_at));
}

/** @param events newest first, and more than are shown: one that is counted up may be newer than its place says */
export function eventsSection(events: readonly Event[], now: number): Section {
  const last = asLog(events).slice(-10);
  return {
    title: 'Events',
    lines:
      last.length === 0
        ? ['none']
        : table(
            eventListing.columns(now).filter(({ wide }) => wide !== true),
            last,
          ),
  };
}
