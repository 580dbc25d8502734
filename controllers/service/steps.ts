/** The effects of a service's plan. Each is idempotent: a pass that is cut off anywhere is mended by the next. */
import { askedFor, nextNumber } from '../../specs/deployment.ts';
import type { Clock, Random } from '../../specs/clock.ts';
import type { EventRecorder } from '../../specs/event.ts';
import type { Row } from '../../specs/index.ts';
import { newId } from '../../specs/meta.ts';
import { DeploymentReason } from '../../specs/reasons.ts';
import { revisionOf } from '../../specs/revision.ts';
import type { Store } from '../../api/store/store.ts';
import type { Engine } from '../engine/engine.ts';
import { imageTag } from '../engine/names.ts';
import { configurationOf, type Configuration } from './configuration.ts';

export type Step =
  | { do: 'release' }
  | { do: 'resize' }
  | { do: 'releaseImage'; deployment: Row<'Deployment'> }
  | { do: 'deleteOwned'; rows: (Row<'Deployment'> | Row<'Upload'> | Row<'Domain'> | Row<'Job'>)[] }
  | { do: 'removeLogs' }
  | { do: 'purge' };

export interface StepDeps {
  store: Store;
  engine: Pick<Engine, 'removeImage'>;
  clock: Clock;
  random: Random;
  events: EventRecorder;
  /** Removes all that its workloads printed. */
  removeLogs: (serviceId: string) => Promise<void>;
}

export async function apply(step: Step, service: Row<'Service'>, deps: StepDeps): Promise<void> {
  switch (step.do) {
    case 'release':
      return release(service.id, deps);
    case 'resize':
      return resize(service.id, deps);
    case 'releaseImage':
      return releaseImage(step.deployment, service, deps);
    case 'deleteOwned':
      return deps.store.write(async (writer) => {
        for (const { kind, id } of step.rows) await writer.markDeleted(kind, id);
      });
    case 'removeLogs':
      return deps.removeLogs(service.id);
    case 'purge':
      return purge(service.id, deps);
  }
}

/** Decides once more inside the transaction: what is released is what is asked for at this moment, or nothing. */
function release(id: string, { store, clock, random }: StepDeps): Promise<void> {
  return store.write(async (writer) => {
    const service = await writer.get('Service', id);
    if (!service?.owner || service.deleted_at !== null) return;
    const deployments = await writer.list('Deployment', { owner: id });
    const configuration = configurationOf(service, deployments);
    if (configuration.state !== 'due') return;
    const spec = specOf(configuration, nextNumber(deployments));
    const deployment = await writer.create('Deployment', {
      ...{ id: newId('deployment', clock.now(), random(10)), name: String(spec.number), owner: id },
      ...{ spec, status: { ...askedFor, message: 'Its configuration was changed.' } },
    });
    const change = { target: deployment.id, configured: revisionOf(spec.workload) };
    await writer.updateSpec('Service', id, (before) => ({
      ...before,
      rollout: { ...before.rollout, ...change },
    }));
  });
}

/**
 * The one change of a deployment's workload after it was frozen: its replicas get the limits where they run, and so does
 * whatever is started of it later. An older deployment keeps its own.
 */
function resize(id: string, { store }: StepDeps): Promise<void> {
  return store.write(async (writer) => {
    const service = await writer.get('Service', id);
    if (!service || service.deleted_at !== null) return;
    const configuration = configurationOf(service, await writer.list('Deployment', { owner: id }));
    if (configuration.state !== 'resized') return;
    const { base, resources } = configuration;
    const workload = { ...base.spec.workload, resources };
    await writer.updateSpec('Deployment', base.id, (before) => ({ ...before, workload }));
    const configured = revisionOf(workload);
    await writer.updateSpec('Service', id, (before) => ({
      ...before,
      rollout: { ...before.rollout, configured },
    }));
  });
}

function specOf(
  { base, workload }: Extract<Configuration, { state: 'due' }>,
  number: number,
): Row<'Deployment'>['spec'] {
  return { ...base.spec, number, workload, reuse: base.id, stopped: false };
}

/**
 * The row lets go of the image first, unless somebody asked for the deployment meanwhile: from then on it cannot be rolled
 * back to, so that nobody waits for an image that is going. Where the engine does not give it up, the row has it again.
 */
async function releaseImage(
  deployment: Row<'Deployment'>,
  service: Row<'Service'>,
  { store, engine, events }: StepDeps,
): Promise<void> {
  if (!(await letGo(deployment, service, store))) return;
  const { id, generation, status } = deployment;
  try {
    await engine.removeImage(imageTag(deployment));
  } catch (error) {
    await store.patchStatus('Deployment', id, generation, { image: status.image });
    throw error;
  }
  const { project_id, service_id } = deployment.spec;
  const of = { kind: 'Deployment', object: id, project_id, service_id, name: deployment.name };
  const message = 'Its image was given up: release.keep says how many are kept for rollback.';
  events.record({ ...of, type: 'Normal', reason: DeploymentReason.ImageReleased, message });
}

function letGo(
  { id, generation }: Row<'Deployment'>,
  service: Row<'Service'>,
  store: Store,
): Promise<boolean> {
  return store.write(
    async (writer) => {
      const [deployment, now] = [await writer.get('Deployment', id), await writer.get('Service', service.id)];
      if (deployment?.generation !== generation || now?.generation !== service.generation) return false;
      await writer.patchStatus('Deployment', id, generation, { image: null });
      return true;
    },
    { lazy: true },
  );
}

/** The row, and the values of its secrets with it, unless something of it came in between. */
function purge(id: string, { store }: StepDeps): Promise<void> {
  return store.write(async (writer) => {
    for (const kind of ['Deployment', 'Upload', 'Domain'] as const)
      if ((await writer.list(kind, { owner: id, limit: 1 })).length > 0) return;
    await writer.dropSealed(id);
    await writer.purge('Service', id);
  });
}
