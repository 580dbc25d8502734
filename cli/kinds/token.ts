/** API tokens, as they are listed. */
import type { ApiToken } from '../../specs/account.ts';
import { age } from '../output/age.ts';
import type { Listing } from './kind.ts';

export const tokenListing: Listing<ApiToken> = {
  singular: 'token',
  plural: 'tokens',
  columns: (now) => [
    { header: 'NAME', cell: ({ name }) => name },
    { header: 'REACHES', cell: ({ project }) => project ?? 'all' },
    { header: 'ROLE', cell: ({ role }) => role ?? 'its owner' },
    { header: 'AGE', cell: ({ created_at: at }) => age(at, now) },
    { header: 'EXPIRES', cell: ({ expires_at: at }) => (at === null ? 'never' : remaining(at, now)) },
    { header: 'LAST USED', cell: ({ last_used_at: at }) => (at === null ? 'never' : `${age(at, now)} ago`) },
    { header: 'ID', cell: ({ id }) => id },
  ],
  name: ({ id }) => id,
};

/** How long until a time; `expired` after it. */
function remaining(at: string, now: number): string {
  return Date.parse(at) <= now ? 'expired' : `in ${age(new Date(now).toISOString(), Date.parse(at))}`;
}
