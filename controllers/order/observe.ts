/** Reads everything a pass over one order decides on: the rows, and how things stand at the authority. Reads only. */
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';
import type { Acme, AcmeAuthorization, AcmeOrder, Call } from '../acme/acme.ts';

export interface Observed {
  /** Its challenge, if it has one by now; newest first. */
  challenges: Row<'Challenge'>[];
  /** At the authority. Not asked before it was made there, after its end, or while a challenge is under way. */
  remote: AcmeOrder | undefined;
  /** Of its only hostname. Asked only while the order is pending. */
  authorization: (AcmeAuthorization & { url: string }) | undefined;
}

export interface ObserveDeps {
  store: Store;
  acme: Pick<Acme, 'order' | 'authorization'>;
}

export async function observe(
  row: Row<'Order'>,
  { store, acme }: ObserveDeps,
  signal: AbortSignal,
): Promise<Observed> {
  const challenges = await store.list('Challenge', { owner: row.id });
  const nothing = { challenges, remote: undefined, authorization: undefined };
  const { phase, url } = row.status;
  const over = row.deleted_at !== null || phase === 'Issued' || phase === 'Failed';
  if (over || url === null || challenges.some(({ status }) => isOpen(status.phase))) return nothing;
  const call: Call = { directory: row.spec.directory, signal };
  const remote = await acme.order(call, url);
  const [first] = remote.authorizations;
  if (remote.status !== 'pending' || first === undefined) return { ...nothing, remote };
  return { challenges, remote, authorization: { ...(await acme.authorization(call, first)), url: first } };
}

function isOpen(phase: Row<'Challenge'>['status']['phase']): boolean {
  return phase === 'Pending' || phase === 'Presented';
}
