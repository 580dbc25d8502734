/** Members of a project, as they are listed. */
import type { Member } from '../../specs/account.ts';
import { age } from '../output/age.ts';
import type { Listing } from './kind.ts';

export const memberListing: Listing<Member> = {
  singular: 'member',
  plural: 'members',
  columns: (now) => [
    { header: 'USER', cell: ({ username }) => username },
    { header: 'ROLE', cell: ({ role }) => role },
    { header: 'SINCE', cell: ({ created_at: at }) => age(at, now) },
    { header: 'PROJECT', cell: ({ project }) => project, wide: true },
    { header: 'USER ID', cell: ({ user_id: id }) => id, wide: true },
  ],
  name: ({ username }) => username,
};
