/** Secrets of a service, as they are listed: names and versions, never values. */
import type { SecretResource } from '../../specs/resources.ts';
import { age } from '../output/age.ts';
import type { Listing } from './kind.ts';

export const secretListing: Listing<SecretResource> = {
  singular: 'secret',
  plural: 'secrets',
  columns: (now) => [
    { header: 'NAME', cell: ({ name }) => name },
    { header: 'VERSION', cell: ({ version }) => (version === null ? 'no value yet' : String(version)) },
    { header: 'AGE', cell: ({ updated_at: at }) => (at === null ? '' : age(at, now)) },
  ],
  name: ({ name }) => name,
};
