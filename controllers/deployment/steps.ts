/** The effects of a deployment's plan. Each is idempotent: a pass that is cut off anywhere is mended by the next. */
import type { Clock, Random } from '../../specs/clock.ts';
import type { Row } from '../../specs/index.ts';
import type { DeploymentLogEntry } from '../../specs/log-entry.ts';
import { newId, timestamp } from '../../specs/meta.ts';
import type { Reader, Store, Writer } from '../../api/store/store.ts';
import type { Builds } from '../build/builds.ts';
import { nextAddress } from './address.ts';
import { isCurrent, type Observed } from './observe.ts';

export type Step =
  | { do: 'startBuild' }
  | { do: 'forgetBuild' }
  | { do: 'createReplica'; epoch: number; index: number; subnet: string; image: string }
  | { do: 'removeReplica'; id: string }
  | { do: 'promote'; epoch: number };

export interface StepDeps {
  store: Store;
  builds: Builds;
  clock: Clock;
  random: Random;
  /** Appends to the deployment's log. */
  log: (deploymentId: string, entry: DeploymentLogEntry) => void;
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
  createReplica,
  removeReplica: ({ id }, _, { store }) => store.write((writer) => writer.markDeleted('Replica', id)),
  promote,
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
  deps.log(row.id, {
    event: 'log',
    at: timestamp(deps.clock.now()),
    phase: 'release',
    stream: 'stdout',
    line: `Starting replica ${index + 1}`,
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
    await writer.patchStatus('Service', service.id, service.generation, {
      promoted: row.id,
      previous: promoted ?? previous,
    });
  };
  // Found out again after a power cut, which leaves no replica to route to anyway.
  await store.write(point, { lazy: true });
}
