import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readPage } from '../../api/paging.ts';
import type { Row } from '../../specs/index.ts';
import { newId } from '../../specs/meta.ts';
import { aProject, memoryStore } from '../support/store.ts';

/** What happens to the list between two pages: rows that come, and places of rows that go. */
interface Step {
  come: number;
  go: number[];
}

const steps = fc.array(fc.record({ come: fc.nat(3), go: fc.array(fc.nat(30), { maxLength: 3 }) }), {
  minLength: 30,
  maxLength: 30,
});

describe('pages', () => {
  it('never miss a row that was there all the while, nor repeat one, whatever comes and goes between them', async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 1, max: 6 }), fc.nat(25), fc.nat(2), steps, checkPages),
      { numRuns: 40 },
    );
  });

  it('passes over what is not for who asks in few reads, however little is asked for', async () => {
    const rows = Array.from({ length: 5_000 }, (_, n) => ({
      id: newId('event', 5_000 - n, new Uint8Array(10)),
    }));
    let reads = 0;
    const read = ({ limit, before }: { limit: number; before?: string }) => {
      reads += 1;
      const from = before === undefined ? 0 : rows.findIndex(({ id }) => id === before) + 1;
      return Promise.resolve(rows.slice(from, from + limit));
    };
    const page = await readPage(read, { limit: 1 }, ({ id }) => id === rows.at(-1)?.id);
    assert.deepEqual(page, { rows: rows.slice(-1), next_cursor: null });
    assert.ok(reads < 20, `${reads} reads`);
  });
});

/** @param hidden every so-many-th row is not for who asks; none when it is 0 */
async function checkPages(limit: number, first: number, hidden: number, history: Step[]): Promise<void> {
  const store = await memoryStore();
  let made = 0;
  const there: string[] = [];
  const come = async () => {
    made += 1;
    const id = newId('project', Date.UTC(2030, 0, 1) + made, new Uint8Array(10));
    await store.write((writer) => writer.create('Project', aProject({ id, name: `p${made}` })));
    there.unshift(id);
  };
  const keep = ({ name }: Row<'Project'>) => hidden === 0 || Number(name.slice(1)) % (hidden + 1) !== 0;
  for (let i = 0; i < first; i++) await come();
  const before = new Set((await store.list('Project')).filter(keep).map(({ id }) => id));

  const seen: string[] = [];
  let cursor: string | null | undefined;
  for (const { come: coming, go } of history) {
    const query = { limit, ...(typeof cursor === 'string' ? { cursor } : {}) };
    const page = await readPage((options) => store.list('Project', options), query, keep);
    assert.ok(page.rows.length <= limit);
    seen.push(...page.rows.map(({ id }) => id));
    cursor = page.next_cursor;
    if (cursor === null) break;
    for (let i = 0; i < coming; i++) await come();
    for (const place of go) {
      const [gone] = there.splice(place % there.length, 1);
      if (gone === undefined) continue;
      before.delete(gone);
      await store.write((writer) => writer.purge('Project', gone));
    }
  }
  assert.equal(cursor, null, 'the list never ends');
  assert.equal(new Set(seen).size, seen.length, 'a row came twice');
  assert.deepEqual(seen, [...seen].sort().reverse(), 'newest first');
  for (const id of before) assert.ok(seen.includes(id), `${id} was missed`);
  await store.close();
}
