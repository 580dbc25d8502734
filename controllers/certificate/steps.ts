/** The effects of a certificate's plan, each of them one transaction. */
import type { Clock, Random } from '../../specs/clock.ts';
import type { CertificateStatus, OrderStatus } from '../../specs/certificate.ts';
import type { Row } from '../../specs/index.ts';
import { newId, timestamp } from '../../specs/meta.ts';
import type { Store, Writer } from '../../api/store/store.ts';
import { newKey } from '../acme/key.ts';
import { pauseAfter, renewalOf } from './timing.ts';

export type Step =
  | { do: 'order'; directory: string }
  | { do: 'take'; order: Row<'Order'> }
  | { do: 'giveUp'; order: Row<'Order'> }
  | { do: 'removeOrders'; ids: string[] }
  | { do: 'purge' };

export interface StepDeps {
  store: Store;
  clock: Clock;
  random: Random;
}

const kind = 'certificate-key';

const unasked: OrderStatus = {
  ...{ phase: 'Pending', url: null, chain: null, not_before: null, not_after: null },
  ...{ last_error: null, retry_at: null, conditions: [] },
};

export function apply(step: Step, row: Row<'Certificate'>, deps: StepDeps): Promise<void> {
  const { store } = deps;
  switch (step.do) {
    case 'order':
      return order(row, step.directory, deps);
    case 'take':
      return store.write((writer) => conclude(row, step.order, taken(step.order, deps), writer));
    case 'giveUp':
      return store.write((writer) => conclude(row, step.order, failed(row, step.order, deps), writer));
    case 'removeOrders':
      return store.write(async (writer) => {
        for (const id of step.ids) await writer.markDeleted('Order', id);
      });
    case 'purge':
      return store.write(async (writer) => {
        if ((await writer.list('Order', { owner: row.id, limit: 1 })).length > 0) return;
        await writer.dropSealed(row.id);
        await writer.purge('Certificate', row.id);
      });
  }
}

/** A key of its own for every order: sealed before anything is asked for, so that no certificate is issued to a lost one. */
function order({ id, spec }: Row<'Certificate'>, directory: string, deps: StepDeps): Promise<void> {
  const value = newKey();
  const orderId = newId('order', deps.clock.now(), deps.random(10));
  return deps.store.write(async (writer) => {
    const now = await writer.get('Certificate', id);
    // One at a time: there may be one that this pass has not seen.
    if (!now || now.deleted_at !== null || (await livingOrders(id, writer))) return;
    const project = spec.project_id ?? '';
    const version = await writer.seal({ kind, owner: id, name: '', project, value });
    await writer.create('Order', {
      ...{ id: orderId, name: 'order', owner: id, status: unasked },
      spec: { certificate_id: id, hostname: spec.hostname, directory, key_version: version },
    });
  });
}

async function livingOrders(id: string, writer: Writer): Promise<boolean> {
  return (await writer.list('Order', { owner: id })).some(({ deleted_at: deleted }) => deleted === null);
}

/** What became of an order is written down, and the order and every key but that of the chain go, in one transaction. */
async function conclude(
  { id, generation }: Row<'Certificate'>,
  { id: orderId }: Row<'Order'>,
  patch: Partial<CertificateStatus>,
  writer: Writer,
): Promise<void> {
  const found = await writer.get('Order', orderId);
  if (!found || found.deleted_at !== null) return;
  await writer.patchStatus('Certificate', id, generation, patch);
  await writer.markDeleted('Order', orderId);
  const served = (await writer.get('Certificate', id))?.status.key_version;
  for (const { version } of await writer.sealedVersions(id, kind))
    if (version !== served) await writer.dropSealed(id, { kind, version });
}

function taken({ spec, status }: Row<'Order'>, { random }: StepDeps): Partial<CertificateStatus> {
  const { chain, not_before: notBefore, not_after: notAfter } = status;
  const renewAt = renewalOf(Date.parse(notBefore ?? ''), Date.parse(notAfter ?? ''), chanceOf(random));
  return {
    ...{ chain, not_before: notBefore, not_after: notAfter, key_version: spec.key_version },
    ...{ renew_at: timestamp(renewAt), failures: 0, retry_at: null, held: {}, last_error: null },
  };
}

function failed(
  { status }: Row<'Certificate'>,
  { spec, status: { last_error: error, retry_at: heldUntil } }: Row<'Order'>,
  { clock, random }: StepDeps,
): Partial<CertificateStatus> {
  const now = clock.now();
  const failures = status.failures + 1;
  const held = Object.entries({ ...status.held, ...(heldUntil !== null && { [spec.directory]: heldUntil }) });
  return {
    ...{ failures, last_error: error, retry_at: timestamp(now + pauseAfter(failures, chanceOf(random))) },
    held: Object.fromEntries(held.filter(([, until]) => Date.parse(until) > now)),
  };
}

/** 0 to 1. */
function chanceOf(random: Random): number {
  return (random(1)[0] ?? 0) / 256;
}
