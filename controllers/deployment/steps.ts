/** The effects of a deployment's plan. Each is idempotent: a pass that is cut off anywhere is mended by the next. */
import type { Clock, Random } from '../../specs/clock.ts';
import type { Row } from '../../specs/index.ts';
import type { DeploymentLogEntry } from '../../specs/log-entry.ts';
import { newId, timestamp } from '../../specs/meta.ts';
import type { Reader, Store, Writer } from '../../api/store/store.ts';
import type { Builds } from '../build/builds.ts';
import type { Engine } from '../engine/engine.ts';
import { imageTag } from '../engine/names.ts';
import { nextAddress } from './address.ts';
import { isCurrent, type Observed } from './observe.ts';

export type Step =
  | { do: 'startBuild' }
  | { do: 'forgetBuild' }
  /** `of`: the deployment that has it, in words. */
  | { do: 'tagImage'; image: string; of: string }
  | { do: 'createReplica'; epoch: number; index: number; subnet: string; image: string }
  | { do: 'removeReplica'; id: string }
  | { do: 'promote'; epoch: number }
  | { do: 'removeImage' }
  | { do: 'removeLogs' }
  | { do: 'purge' };

export interface StepDeps {
  store: Store;
  engine: Pick<Engine, 'tagImage' | 'removeImage'>;
  builds: Builds;
  clock: Clock;
  random: Random;
  /** Appends to the deployment's log. */
  log: (deploymentId: string, entry: DeploymentLogEntry) => void;
  /** Removes its log and what its workload printed. */
  removeLogs: (row: Row<'Deployment'>) => Promise<void>;
}

type Executors = {
  [K in Step['do']]: (
    step: Extract<Step, { do: K }>,
    row: Row<'Deployment'>,
    deps: StepDeps,
    observed: Observed,
  ) => Promise<void> | void;
};

const executors: Executors = {
  startBuild: (_, row, { builds }) => builds.start(row),
  forgetBuild: (_, row, { builds }) => builds.forget(row.id),
  tagImage,
  createReplica,
  removeReplica: ({ id }, _, { store }) => store.write((writer) => writer.markDeleted('Replica', id)),
  promote,
  removeImage: (_, row, { engine }) => engine.removeImage(imageTag(row)),
  removeLogs: (_, row, { removeLogs }) => removeLogs(row),
  purge,
};

export async function apply(
  step: Step,
  row: Row<'Deployment'>,
  observed: Observed,
  deps: StepDeps,
): Promise<void> {
  // The map is exhaustive over Step['do']; TypeScript cannot see that key and argument belong together.
  const execute = executors[step.do] as (
    step: Step,
    row: Row<'Deployment'>,
    deps: StepDeps,
    observed: Observed,
  ) => Promise<void> | void;
  await execute(step, row, deps, observed);
}

async function createReplica(
  step: Extract<Step, { do: 'createReplica' }>,
  row: Row<'Deployment'>,
  deps: StepDeps,
): Promise<void> {
  const { epoch, index, subnet, image } = step;
  const name = `${epoch}.${index}`;
  await deps.store.write(async (writer) => {
    const there = await writer.find('Replica', row.id, name);
    if (there && there.deleted_at === null) return;
    const address = nextAddress(subnet, await addressesIn(row.spec.project_id, writer));
    await writer.create('Replica', {
      id: newId('replica', deps.clock.now(), deps.random(10)),
      name,
      owner: row.id,
      spec: {
        deployment_id: row.id,
        service_id: row.spec.service_id,
        project_id: row.spec.project_id,
        epoch,
        index,
        image,
        address,
      },
      status: {
        phase: 'Pending',
        container: null,
        started_at: null,
        restarts: 0,
        crashes: 0,
        last_exit: null,
        restart_at: null,
        probe: null,
        conditions: [],
      },
    });
  });
  say(`Starting replica ${index + 1}`, row, deps);
}

async function tagImage(
  { image, of }: Extract<Step, { do: 'tagImage' }>,
  row: Row<'Deployment'>,
  deps: StepDeps,
): Promise<void> {
  await deps.engine.tagImage(image, imageTag(row));
  say(`A configuration change of ${of}: its image is used, nothing is built`, row, deps);
}

/** A line of the deployment's log. */
function say(line: string, { id }: Row<'Deployment'>, { log, clock }: StepDeps): void {
  log(id, { event: 'log', at: timestamp(clock.now()), phase: 'release', stream: 'stdout', line });
}

/** Unless a replica came in between. */
function purge(_: Step, { id }: Row<'Deployment'>, { store }: StepDeps): Promise<void> {
  return store.write(async (writer) => {
    if ((await writer.list('Replica', { owner: id, limit: 1 })).length === 0)
      await writer.purge('Deployment', id);
  });
}

/**
 * Addresses taken in a project, the most recent first. Asked in the transaction that takes one more: other deployments of
 * the project take theirs at the same time.
 */
async function addressesIn(projectId: string, reader: Reader): Promise<string[]> {
  const replicas = await reader.list('Replica');
  return replicas.filter(({ spec }) => spec.project_id === projectId).map(({ spec }) => spec.address);
}

/**
 * Points routing at this deployment: its own epoch and the service's choice at once, and only if both are still wanted as
 * they were when the gate was found passed. Somebody may have called it off meanwhile.
 */
async function promote(
  { epoch }: Extract<Step, { do: 'promote' }>,
  row: Row<'Deployment'>,
  { store, clock }: StepDeps,
  observed: Observed,
): Promise<void> {
  const point = async (writer: Writer): Promise<void> => {
    const service = await writer.get('Service', row.spec.service_id);
    if (!service || !(await isCurrent(row, observed, writer))) return;
    const at = timestamp(clock.now());
    await writer.patchStatus('Deployment', row.id, row.generation, { epoch, promoted_at: at });
    const { promoted, previous } = service.status;
    if (promoted === row.id) return;
    // What is observed of the service stays as it is: only its own controller knows whether the rest of it was seen to.
    await writer.patchStatus('Service', service.id, service.observed_generation, {
      promoted: row.id,
      previous: promoted ?? previous,
    });
  };
  // Found out again after a power cut, which leaves no replica to route to anyway.
  await store.write(point, { lazy: true });
}
