/** Lists that the API answers page by page. */
import type { Page } from '../../specs/resources.ts';
import type { Transport } from './http.ts';

/** The most that one page may hold. */
const largestPage = 500;

type Query = Readonly<Record<string, string | undefined>>;

/** Newest first. @param most how many are wanted; all of them without it */
export async function items<T>(
  http: Transport,
  path: string,
  query: Query = {},
  most = Infinity,
): Promise<T[]> {
  const found: T[] = [];
  let cursor: string | undefined;
  do {
    const limit = Math.min(largestPage, most - found.length);
    const page = await http.json<Page<T>>('GET', path, { query: { ...query, limit, cursor } });
    found.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined && found.length < most);
  return found;
}
