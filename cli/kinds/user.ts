/** Users, as they are listed. */
import type { User } from '../../specs/account.ts';
import { age } from '../output/age.ts';
import type { Listing } from './kind.ts';

export const userListing: Listing<User> = {
  singular: 'user',
  plural: 'users',
  columns: (now) => [
    { header: 'NAME', cell: ({ username }) => username },
    { header: 'SUPER-ADMIN', cell: ({ super_admin: isSuperAdmin }) => (isSuperAdmin ? 'yes' : '') },
    { header: 'AGE', cell: ({ created_at: at }) => age(at, now) },
    { header: 'ID', cell: ({ id }) => id, wide: true },
  ],
  name: ({ username }) => username,
};
