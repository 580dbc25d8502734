/** The life of a certificate over a real store: its keys, its orders, its failures. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { it, type TestContext } from 'node:test';
import { certificateReconciler } from '../../../controllers/certificate/reconcile.ts';
import type { OrderStatus } from '../../../specs/certificate.ts';
import type { Row } from '../../../specs/index.ts';
import { recordingLog } from '../../support/recording-log.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { aCertificate, aDomain, memoryStore } from '../../support/store.ts';

const day = 24 * 3_600_000;
const directory = 'https://ca.test/dir';

async function scene(t: TestContext) {
  const clock = new ManualClock();
  const store = await memoryStore([aDomain({ status: { phase: 'Verified' } }), aCertificate()], clock);
  t.after(() => store.close());
  const log = recordingLog();
  const said: string[] = [];
  const reconcile = certificateReconciler({
    ...{ store, clock, log, random: randomBytes, directories: [directory] },
    events: { record: ({ kind, type, message }) => said.push(`${type} ${kind}: ${message}`) },
  });
  const { id } = aCertificate();
  const pass = () => reconcile(id, { signal: new AbortController().signal });
  const certificate = async (): Promise<Row<'Certificate'>> => {
    const row = await store.get('Certificate', id);
    assert.ok(row);
    return row;
  };
  const order = async (): Promise<Row<'Order'> | undefined> => {
    const orders = await store.list('Order', { owner: id });
    return orders.find(({ deleted_at: deleted }) => deleted === null);
  };
  /** What its controller would make of the order that is under way. */
  const end = async (status: Partial<OrderStatus>): Promise<void> => {
    const row = await order();
    assert.ok(row);
    await store.patchStatus('Order', row.id, row.generation, status);
    await pass();
    await pass();
  };
  const issue = () =>
    end({
      ...{ phase: 'Issued', chain: 'PEM', not_before: new Date(clock.now()).toISOString() },
      not_after: new Date(clock.now() + 90 * day).toISOString(),
    });
  const keys = () => store.write((writer) => writer.sealedVersions(id, 'certificate-key'));
  return { clock, store, log, said, id, pass, certificate, order, end, issue, keys };
}

it('an order has a sealed key of its own before anybody is asked', async (t) => {
  const { pass, order, store, id } = await scene(t);
  await pass();
  const { spec } = (await order()) ?? assert.fail('there is no order');
  assert.deepEqual([spec.directory, spec.hostname], [directory, 'shop.example.com']);
  const key = { kind: 'certificate-key', owner: id, name: '', version: spec.key_version } as const;
  assert.match(await store.vault.open(key), /^-----BEGIN PRIVATE KEY-----/);
});

it('one order at a time, however many passes there are', async (t) => {
  const { pass, store, id } = await scene(t);
  for (let n = 0; n < 3; n += 1) await pass();
  assert.equal((await store.list('Order', { owner: id })).length, 1);
});

it('what was issued is taken in, and renewed after two thirds of its life with another key', async (t) => {
  const { pass, issue, certificate, order, keys, clock, said } = await scene(t);
  await pass();
  await issue();
  const { status } = await certificate();
  assert.deepEqual([status.chain, status.key_version, status.failures], ['PEM', 1, 0]);
  assert.deepEqual(
    status.conditions.map(({ reason }) => reason),
    ['Issued', 'UpToDate'],
  );
  assert.equal(await order(), undefined);
  await clock.advance(60 * day - 1);
  await pass();
  assert.equal(await order(), undefined);
  await clock.advance(2 * day);
  await pass();
  assert.equal((await order())?.spec.key_version, 2);
  assert.equal((await keys()).length, 2);
  await issue();
  assert.equal((await certificate()).status.key_version, 2);
  assert.deepEqual(said, [
    'Normal Domain: A certificate was issued.',
    'Normal Domain: The certificate was renewed.',
  ]);
  assert.deepEqual(
    (await keys()).map(({ version }) => version),
    [2],
  );
});

it('an order that failed is not repeated before its pause is over, and its key is forgotten', async (t) => {
  const { pass, end, certificate, order, keys, clock, log } = await scene(t);
  await pass();
  await end({ phase: 'Failed', last_error: 'No.' });
  const { failures, last_error, retry_at } = (await certificate()).status;
  assert.deepEqual([failures, last_error], [1, 'No.']);
  assert.ok(Date.parse(retry_at ?? '') >= clock.now() + 60_000);
  assert.deepEqual(await keys(), []);
  assert.equal(await order(), undefined);
  assert.ok(
    log.lines.some(
      ({ level, message }) => level === 'warn' && message === 'No certificate could be had. No.',
    ),
  );
  await clock.advance(75_000);
  await pass();
  assert.ok(await order());
});

it('a renewal that fails leaves what is served, with its key', async (t) => {
  const { pass, issue, end, certificate, keys, clock, said } = await scene(t);
  await pass();
  await issue();
  await clock.advance(62 * day);
  await pass();
  await end({ phase: 'Failed', last_error: 'No.', retry_at: new Date(clock.now() + day).toISOString() });
  const { status } = await certificate();
  assert.equal(said.at(-1), 'Warning Domain: The certificate could not be renewed; it is served on. No.');
  assert.deepEqual([status.chain, status.key_version, Object.keys(status.held)], ['PEM', 1, [directory]]);
  assert.deepEqual(
    status.conditions.map(({ status: value, reason }) => `${value} ${reason}`),
    ['True Issued', 'False RateLimited'],
  );
  assert.deepEqual(
    (await keys()).map(({ version }) => version),
    [1],
  );
});

it('it goes with its keys', async (t) => {
  const { pass, issue, store, id, keys } = await scene(t);
  await pass();
  await issue();
  await store.write(async (writer) => {
    for (const { id: orderId } of await writer.list('Order', { owner: id }))
      await writer.purge('Order', orderId);
    await writer.markDeleted('Certificate', id);
  });
  await pass();
  assert.equal(await store.get('Certificate', id), undefined);
  assert.deepEqual(await keys(), []);
});
