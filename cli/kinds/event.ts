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
      cell: ({ message, count }) =>
        `${message.split('\n')[0] ?? ''}${count === 1 ? '' : ` (${count} times)`}`,
    },
  ],
  name: ({ id }) => id,
};

/** @param events newest first; the last of a description reads from the oldest on */
export function eventsSection(events: readonly Event[], now: number): Section {
  const last = events.slice(0, 10).reverse();
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
