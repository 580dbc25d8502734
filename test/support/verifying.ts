/** The real controller of domains over a test API, where DNS leads each hostname to where a test says. */
import { setImmediate } from 'node:timers/promises';
import type { Sighting } from '../../controllers/domain/look.ts';
import { domainReconciler } from '../../controllers/domain/reconcile.ts';
import { challengePath } from '../../specs/domain.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { TestApi } from './api.ts';

/** What is seen of a hostname that leads to the node. */
export const here: Sighting = {
  seen: [{ address: '203.0.113.7', isHere: true, words: 'answered the challenge' }],
};
export const elsewhere: Sighting = {
  seen: [{ address: '198.51.100.9', isHere: false, words: 'answered with status 404' }],
};

/** Domains are looked after from now on. @param look what is seen of a hostname */
export function lookAfterDomains(
  { store, clock }: TestApi,
  look: (hostname: string) => Sighting = () => here,
): void {
  const reconcile = domainReconciler({
    ...{ store, clock },
    ingress: { applied: () => ({ ...noRoutes, answers }) },
    look: (hostname) => Promise.resolve(look(hostname)),
    awaitRoutes: () => undefined,
    ownAddresses: () => [],
    events: { record: () => undefined },
  });
  const noRoutes = { revision: 1, hosts: {}, services: {}, upstreams: {}, bridges: {}, control: null };
  /** The ingress answers every challenge at once. */
  const answers: Record<string, Record<string, string>> = {};
  const present = async (id: string): Promise<void> => {
    const spec = (await store.get('Domain', id))?.spec;
    if (spec) answers[spec.hostname] = { ...answers[spec.hostname], [challengePath(spec.token)]: spec.token };
  };
  // One pass after the other; the store closes under the last of them.
  let passes: Promise<unknown> = Promise.resolve();
  store.onChange(({ kind, id, by }) => {
    if (kind !== 'Domain' || by === 'purged') return;
    passes = passes
      .then(() => setImmediate())
      .then(() => present(id))
      .then(() => reconcile(id, { signal: new AbortController().signal }));
    passes = passes.catch((error: unknown) => {
      if (!(error instanceof ProblemError) || error.code !== 'unavailable') throw error;
    });
  });
}
