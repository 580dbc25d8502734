/** Image registries of a project, as they are listed. */
import type { RegistryResource } from '../../specs/resources.ts';
import { age } from '../output/age.ts';
import type { Listing } from './kind.ts';

export const registryListing: Listing<RegistryResource> = {
  singular: 'registry',
  plural: 'registries',
  columns: (now) => [
    { header: 'SERVER', cell: ({ server }) => server },
    { header: 'USER', cell: ({ username }) => username },
    { header: 'AGE', cell: ({ updated_at: at }) => age(at, now) },
    { header: 'ID', cell: ({ id }) => id, wide: true },
  ],
  name: ({ server }) => server,
};
