/** The effects of a challenge's plan. */
import type { ChallengeStatus } from '../../specs/certificate.ts';
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';
import type { Acme } from '../acme/acme.ts';

export type Step = { do: 'present' } | { do: 'note'; status: Partial<ChallengeStatus> } | { do: 'purge' };

export interface StepDeps {
  store: Store;
  acme: Pick<Acme, 'ready'>;
}

/** Rejects with an AcmeError when the authority does not do as it is asked. */
export async function apply(
  step: Step,
  { id, generation, spec }: Row<'Challenge'>,
  { store, acme }: StepDeps,
  signal: AbortSignal,
): Promise<void> {
  const note = async (status: Partial<ChallengeStatus>): Promise<void> => {
    await store.patchStatus('Challenge', id, generation, status, { durable: true });
  };
  switch (step.do) {
    case 'present':
      await acme.ready({ directory: spec.directory, signal }, spec.url);
      return note({ phase: 'Presented', last_error: null });
    case 'note':
      return note(step.status);
    case 'purge':
      return store.write((writer) => writer.purge('Challenge', id));
  }
}
