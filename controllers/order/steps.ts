/** The effects of an order's plan. Each is written down, durably, before the pass ends. */
import type { Clock, Random } from '../../specs/clock.ts';
import type { OrderStatus } from '../../specs/certificate.ts';
import type { Row } from '../../specs/index.ts';
import { newId } from '../../specs/meta.ts';
import type { Store } from '../../api/store/store.ts';
import type { Vault } from '../../api/store/vault.ts';
import type { Acme, AcmeChallenge, Call } from '../acme/acme.ts';
import { validityOf } from './chain.ts';

export type Step =
  | { do: 'make' }
  | { do: 'challenge'; authorization: string; challenge: AcmeChallenge }
  | { do: 'finalize'; order: { url: string; finalize: string } }
  | { do: 'download'; url: string }
  | { do: 'fail'; error: string; heldUntil: string | null }
  | { do: 'removeChallenges'; ids: string[] }
  | { do: 'purge' };

export interface StepDeps {
  store: Store;
  vault: Pick<Vault, 'open'>;
  acme: Pick<Acme, 'newOrder' | 'finalize' | 'download'>;
  clock: Clock;
  random: Random;
}

/** Rejects with an AcmeError when the authority does not do as it is asked. */
export async function apply(
  step: Step,
  row: Row<'Order'>,
  deps: StepDeps,
  signal: AbortSignal,
): Promise<void> {
  const { store, vault, acme } = deps;
  const { certificate_id: owner, directory, hostname, key_version: version } = row.spec;
  const call: Call = { directory, signal };
  const key = (): Promise<string> => vault.open({ kind: 'certificate-key', owner, name: '', version });
  const note = async (status: Partial<OrderStatus>): Promise<void> => {
    await store.patchStatus('Order', row.id, row.generation, status, { durable: true });
  };
  switch (step.do) {
    case 'make':
      return note({ url: await acme.newOrder(call, hostname), last_error: null });
    case 'challenge':
      return createChallenge(row, step, deps);
    case 'finalize':
      await acme.finalize(call, step.order, hostname, await key());
      return note({ phase: 'Ready', last_error: null });
    case 'download': {
      const chain = await acme.download(call, step.url);
      return note({ phase: 'Issued', chain, ...validityOf(chain, hostname, await key()), last_error: null });
    }
    case 'fail':
      return note({ phase: 'Failed', last_error: step.error, retry_at: step.heldUntil });
    case 'removeChallenges':
      return store.write(async (writer) => {
        for (const id of step.ids) await writer.markDeleted('Challenge', id);
      });
    case 'purge':
      return store.write(async (writer) => {
        if ((await writer.list('Challenge', { owner: row.id, limit: 1 })).length === 0)
          await writer.purge('Order', row.id);
      });
  }
}

function createChallenge(
  { id: owner, spec: { directory, hostname } }: Row<'Order'>,
  { authorization, challenge }: Extract<Step, { do: 'challenge' }>,
  { store, clock, random }: StepDeps,
): Promise<void> {
  const { url, token, key_authorization } = challenge;
  const spec = { order_id: owner, directory, hostname, token, key_authorization, url };
  return store.write(async (writer) => {
    // There may be one that this pass has not seen.
    if ((await writer.list('Challenge', { owner, limit: 1 })).length > 0) return;
    await writer.create('Challenge', {
      ...{ id: newId('challenge', clock.now(), random(10)), name: hostname, owner },
      spec: { ...spec, authorization_url: authorization },
      status: { phase: 'Pending', last_error: null, conditions: [] },
    });
  });
}
