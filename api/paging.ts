/** Lists, page by page. A cursor says "older than this row", so a page stays right while rows come and go. */
import { Type, type Static, type TObject } from '@sinclair/typebox';
import { invalid } from './validation.ts';

const longestPage = 500;

/** Query of every list. */
export const pageQuery = {
  limit: Type.Integer({ minimum: 1, maximum: longestPage, default: 100 }),
  cursor: Type.Optional(Type.String({ maxLength: 512, description: '`next_cursor` of the page before' })),
};
type PageQuery = Static<TObject<typeof pageQuery>>;

/**
 * One page of the rows that `keep` lets through.
 * @param read reads up to `limit` rows older than `before`, newest first
 */
export async function readPage<T extends { id: string }>(
  read: (options: { limit: number; before?: string }) => Promise<T[]>,
  { limit, cursor }: PageQuery,
  keep: (row: T) => boolean = () => true,
): Promise<{ rows: T[]; next_cursor: string | null }> {
  const rows: T[] = [];
  let before = cursor === undefined ? undefined : decodeCursor(cursor);
  // One row more than fits tells that there is a next page.
  let size = limit + 1;
  for (;;) {
    const batch = await read({ limit: size, ...(before === undefined ? {} : { before }) });
    rows.push(...batch.filter(keep));
    const last = rows[limit - 1];
    if (last && rows.length > limit)
      return { rows: rows.slice(0, limit), next_cursor: encodeCursor(last.id) };
    if (batch.length < size) return { rows, next_cursor: null };
    before = batch.at(-1)?.id;
    // Who may see nothing of many rows would otherwise keep the node busy with pages of one.
    size = longestPage + 1;
  }
}

/** One page of a list that is at hand whole, in the order of its names. Its cursor says "after this name". */
export function pageOfNames<T extends { name: string }>(
  items: readonly T[],
  { limit, cursor }: PageQuery,
): { items: T[]; next_cursor: string | null } {
  const after = cursor === undefined ? undefined : decodeName(cursor);
  const rest = [...items]
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .filter(({ name }) => after === undefined || name > after);
  const page = rest.slice(0, limit);
  const last = page.at(-1);
  return { items: page, next_cursor: last && rest.length > limit ? encodeCursor(last.name) : null };
}

function encodeCursor(id: string): string {
  return Buffer.from(id).toString('base64url');
}

function decodeCursor(cursor: string): string {
  return decode(cursor, /^[a-z]{3}_[0-9a-z]{26}$/);
}

function decodeName(cursor: string): string {
  return decode(cursor, /^[A-Za-z_][A-Za-z0-9_]*$/);
}

function decode(cursor: string, form: RegExp): string {
  const text = Buffer.from(cursor, 'base64url').toString('latin1');
  if (form.test(text)) return text;
  throw invalid([{ path: '/cursor', message: 'is no cursor that this node gave' }], 'query');
}
