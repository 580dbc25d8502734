/** Volumes, as they are listed. */
import type { VolumeResource } from '../../specs/resources.ts';
import { age } from '../output/age.ts';
import type { Listing } from './kind.ts';

export const volumeListing: Listing<VolumeResource> = {
  singular: 'volume',
  plural: 'volumes',
  columns: (now) => [
    { header: 'NAME', cell: ({ name }) => name },
    { header: 'SERVICE', cell: ({ service }) => service },
    { header: 'STATUS', cell: statusOf },
    { header: 'AGE', cell: ({ created_at: at }) => age(at, now) },
    { header: 'ID', cell: ({ id }) => id, wide: true },
  ],
  name: ({ name }) => name,
};

function statusOf({ deleting, conditions }: VolumeResource): string {
  if (deleting) return 'Destroying';
  return conditions.find(({ type }) => type === 'Ready')?.reason ?? 'Creating';
}
