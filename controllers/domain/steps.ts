/** The effects of a domain's plan. */
import type { Clock } from '../../specs/clock.ts';
import type { EventRecorder } from '../../specs/event.ts';
import type { Row } from '../../specs/index.ts';
import type { Store, Writer } from '../../api/store/store.ts';
import type { Look, Sighting } from './look.ts';
import { newsOf, verdict } from './status.ts';

export type Step =
  { do: 'look' } | { do: 'awaitRoutes' } | { do: 'deleteCertificates'; ids: string[] } | { do: 'purge' };

export interface StepDeps {
  store: Store;
  look: Look;
  /** Wakes this domain when the ingress serves something new. */
  awaitRoutes: (id: string) => void;
  events: EventRecorder;
  /** Public addresses of this node, as far as it knows them. */
  ownAddresses: () => string[];
  clock: Clock;
}

export async function apply(
  step: Step,
  row: Row<'Domain'>,
  deps: StepDeps,
  signal: AbortSignal,
): Promise<void> {
  const { store } = deps;
  switch (step.do) {
    case 'look':
      return judge(row, await deps.look(row.spec.hostname, row.spec.token, signal), deps);
    case 'awaitRoutes':
      deps.awaitRoutes(row.id);
      return;
    case 'deleteCertificates':
      return store.write(async (writer) => {
        for (const id of step.ids) await writer.markDeleted('Certificate', id);
      });
    case 'purge':
      return purge(row.id, store);
  }
}

/**
 * Of several services that point one hostname here, one has it: that is decided in the transaction that makes it so. On disk
 * before anybody is told: after a power cut nobody else may have it.
 */
async function judge(row: Row<'Domain'>, sighting: Sighting, deps: StepDeps): Promise<void> {
  const { store, events, ownAddresses, clock } = deps;
  const status = await store.write(async (writer) => {
    const isHeld = await isHeldByAnother(writer, row);
    const judged = verdict(row, sighting, { isHeld, own: ownAddresses(), now: clock.now() });
    await writer.patchStatus('Domain', row.id, row.generation, judged);
    return judged;
  });
  const event = newsOf(row, status);
  if (event) events.record(event);
}

async function isHeldByAnother(writer: Writer, { id, spec }: Row<'Domain'>): Promise<boolean> {
  const domains = await writer.list('Domain', { name: spec.hostname });
  return domains.some(
    (other) => other.id !== id && other.status.phase === 'Verified' && other.deleted_at === null,
  );
}

function purge(id: string, store: Store): Promise<void> {
  return store.write(
    async (writer) => {
      const certificates = await writer.list('Certificate', { owner: id, limit: 1 });
      if (certificates.length === 0) await writer.purge('Domain', id);
    },
    { lazy: true },
  );
}
