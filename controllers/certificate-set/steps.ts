/** The effects of the plan. */
import type { Clock, Random } from '../../specs/clock.ts';
import { uncertified, type CertificateSpec } from '../../specs/certificate.ts';
import { newId } from '../../specs/meta.ts';
import type { Store, Writer } from '../../api/store/store.ts';

export interface Wish {
  /** Id of the domain, or of the service for its hostname below the apps domain; null for the control domain. */
  owner: string | null;
  spec: CertificateSpec;
}

export type Step = { do: 'create'; wish: Wish } | { do: 'remove'; id: string };

export interface StepDeps {
  store: Store;
  clock: Clock;
  random: Random;
}

/** All at once: a node with thousands of hostnames waits for one write. */
export async function apply(steps: readonly Step[], { store, clock, random }: StepDeps): Promise<void> {
  if (steps.length === 0) return;
  await store.write(async (writer) => {
    for (const step of steps) {
      if (step.do === 'remove') await writer.markDeleted('Certificate', step.id);
      else await create(step.wish, newId('certificate', clock.now(), random(10)), writer);
    }
  });
}

async function create({ owner, spec }: Wish, id: string, writer: Writer): Promise<void> {
  await writer.create('Certificate', { id, name: spec.hostname, owner, spec, status: uncertified });
}
