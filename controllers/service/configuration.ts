/**
 * Decides when a changed configuration is released, and on whose image. Pure.
 *
 * What serves is the base, as with Heroku and Fly: a push that failed does not come back with a changed variable. A
 * configuration is tried once: whether its deployment became healthy, failed or was called off, only another one is
 * released after it. Nor is a rollback undone: it asks for an older configuration while the spec stays as it is.
 *
 * Where nothing but limits differ from what serves, they are changed there, as Kubernetes resizes a pod in place.
 */
import { workloadOf } from '../../specs/configuration.ts';
import { mayRun } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import { revisionOf } from '../../specs/revision.ts';
import type { Resources, Workload } from '../../specs/workload.ts';

export type Configuration =
  /** Declared secrets have no value. */
  | { state: 'incomplete'; missing: string[] }
  /** There is nothing to release. */
  | { state: 'released' }
  | { state: 'due'; workload: Workload; base: Row<'Deployment'> }
  /** Only its limits were changed: what serves gets them, where it runs. */
  | { state: 'resized'; resources: Resources; base: Row<'Deployment'> }
  /** Due once a deployment that is under way has come to its end. */
  | { state: 'waiting'; deployment: Row<'Deployment'> }
  /** Due once the service is started. */
  | { state: 'stopped' };

/** @param deployments all of the service */
export function configurationOf(
  { spec, status }: Row<'Service'>,
  deployments: readonly Row<'Deployment'>[],
): Configuration {
  const asked = workloadOf(spec);
  if ('missing' in asked) return { state: 'incomplete', missing: asked.missing };
  const { rollout } = spec;
  const promoted = deployments.find(({ id }) => id === status.promoted);
  const target = deployments.find(({ id }) => id === rollout.target);
  const last = target ?? promoted;
  if (!last) return { state: 'released' };
  // Databases of before there was `configured` have none.
  const released = rollout.configured ?? revisionOf(last.spec.workload);
  if (revisionOf(asked.workload) === released) return { state: 'released' };

  const underWay = [target, promoted].find((row) => row && isUnderWay(row));
  if (rollout.running && underWay) return { state: 'waiting', deployment: underWay };
  // Nothing ever served: the next push takes it along.
  if (!promoted || promoted.status.image === null) return { state: 'released' };
  if (isResized(promoted, asked.workload))
    return { state: 'resized', resources: asked.workload.resources, base: promoted };
  if (!rollout.running || promoted.spec.stopped) return { state: 'stopped' };
  return { state: 'due', workload: asked.workload, base: promoted };
}

function isResized({ spec: { workload: before }, status }: Row<'Deployment'>, asked: Workload): boolean {
  if (status.phase === 'Failed' || revisionOf(before) === revisionOf(asked)) return false;
  return revisionOf({ ...before, resources: asked.resources }) === revisionOf(asked);
}

/** Also one that is started or rolled back to and does not know it yet. Only of those that a running service wants. */
function isUnderWay({ spec, status }: Row<'Deployment'>): boolean {
  return !spec.stopped && status.phase !== 'Healthy' && mayRun(status);
}
