/** Bodies, names and parameters that nobody should send, at every operation: each is refused, in words, at once. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import type { Operation } from '../../support/api-description.ts';
import type { Prepared } from '../../support/api-driver.ts';
import { ApiWorld } from '../../support/api-world.ts';

const corpus = (path: string) => readFileSync(new URL(`../../corpora/${path}`, import.meta.url), 'utf8');

interface Text {
  id: string;
  expect: 'accept' | 'reject' | 'any';
  bytes: Buffer;
}

const texts: Text[] = [
  ...corpus('json/cases.ndjson')
    .trim()
    .split('\n')
    .map((line) => {
      const { id, expect, raw_b64 } = JSON.parse(line) as Pick<Text, 'id' | 'expect'> & { raw_b64: string };
      return { id, expect, bytes: Buffer.from(raw_b64, 'base64') };
    }),
  // Those of the suite that are too long to be kept.
  { id: 'n_structure_100000_opening_arrays', expect: 'reject', bytes: Buffer.from('['.repeat(100_000)) },
  { id: 'n_structure_open_array_object', expect: 'reject', bytes: Buffer.from('[{"":'.repeat(50_000)) },
];
const strings = JSON.parse(corpus('strings/blns.json')) as string[];

/** A node with one of everything in it. */
async function inhabited(t: Parameters<typeof ApiWorld.of>[0]): Promise<ApiWorld> {
  const world = await ApiWorld.of(t);
  for (const operation of world.inOrder()) {
    if (operation.method !== 'POST' || ['logOut', 'rotateNodeKey'].includes(operation.id)) continue;
    const { statusCode, payload } = await world.send(operation, world.driver.prepare(operation));
    if (statusCode < 300) await world.settle(operation, payload);
  }
  return world;
}

/** Sends it; whatever the answer is, it must be a declared one. @returns its status */
async function check(
  world: ApiWorld,
  operation: Operation,
  request: Prepared,
  what: string,
): Promise<number> {
  const answer = await world.send(operation, request);
  assert.deepEqual(world.description.faults(operation, answer), [], `${operation.id}: ${what}`);
  return answer.statusCode;
}

/** Where nothing that is well-formed by chance does harm to what other cases need. */
function isHarmless({ id }: Operation): boolean {
  return !['logOut', 'rotateNodeKey', 'changePassword', 'updateUser'].includes(id);
}

describe('hostile input', () => {
  it('that is no JSON is refused by every operation that takes a body; nothing of it is an error of the node', async (t) => {
    const world = await inhabited(t);
    const taking = world.description.operations.filter(({ bodySchema }) => bodySchema !== undefined);
    assert.ok(taking.length > 15);
    for (const operation of taking) {
      const request = world.driver.prepare(operation);
      for (const { id, expect, bytes } of texts) {
        const status = await check(world, operation, { ...request, payload: bytes }, id);
        if (expect === 'reject')
          assert.equal(status, bytes.length === 0 ? status : 400, `${operation.id}: ${id}`);
      }
    }
  });

  it('in every text field of every body is taken as text or refused in words', async (t) => {
    const world = await inhabited(t);
    const taking = world.description.operations.filter((one) => one.bodySchema && isHarmless(one));
    for (const operation of taking) {
      const request = world.driver.prepare(operation, { everything: true });
      const body = JSON.parse(String(request.payload)) as Record<string, unknown>;
      const fields = Object.keys(body).filter((name) => typeof body[name] === 'string');
      // A password is hashed each time, which is meant to be slow.
      const step = ['bootstrap', 'logIn', 'createUser'].includes(operation.id) ? 40 : 1;
      for (const [index, text] of strings.entries()) {
        if (index % step !== 0) continue;
        const field = fields[(index / step) % fields.length];
        const payload = JSON.stringify({ ...body, [field ?? 'unknown']: text });
        await check(world, operation, { ...request, payload }, `${String(field)}=${JSON.stringify(text)}`);
      }
    }
  });

  it('in paths and queries finds nothing and breaks nothing', async (t) => {
    const world = await inhabited(t);
    for (const operation of world.description.operations) {
      const takesText =
        operation.path.includes('{') || operation.parameters.some((one) => one.in === 'query');
      const isStream = operation.responses['200']?.content?.['text/event-stream'] !== undefined;
      if (!takesText || isStream || operation.method === 'DELETE') continue;
      const request = world.driver.prepare(operation);
      const query = operation.parameters.find((parameter) => parameter.in === 'query')?.name ?? 'unknown';
      for (const text of strings) {
        const encoded = encodeURIComponent(text.toWellFormed());
        const hostile = operation.path.includes('{')
          ? operation.path.replaceAll(/\{\w+\}/g, () => encoded)
          : request.url;
        if (operation.path.includes('{') && encoded === '') continue;
        const url = `${hostile}?${query}=${encoded}`;
        await check(world, operation, { ...request, url }, url);
      }
    }
  });
});
