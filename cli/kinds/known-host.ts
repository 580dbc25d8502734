/** Git hosts that a project knows, as they are listed. */
import type { KnownHostResource } from '../../specs/resources.ts';
import { age } from '../output/age.ts';
import type { Listing } from './kind.ts';

export const knownHostListing: Listing<KnownHostResource> = {
  singular: 'known-host',
  plural: 'known-hosts',
  columns: (now) => [
    { header: 'HOST', cell: ({ host }) => host },
    { header: 'TYPE', cell: ({ keys }) => keys.map((line) => line.split(' ')[1] ?? '').join(', ') },
    { header: 'FINGERPRINT', cell: ({ fingerprints }) => fingerprints.join(', ') },
    { header: 'AGE', cell: ({ created_at: at }) => age(at, now) },
    { header: 'ID', cell: ({ id }) => id, wide: true },
  ],
  name: ({ host }) => host,
};
