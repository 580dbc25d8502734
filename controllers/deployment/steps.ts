/** The effects of a deployment's plan. Each is idempotent: a pass that is cut off anywhere is mended by the next. */
import type { Random } from '../../specs/clock.ts';
import { frozenRun } from '../../specs/frozen-run.ts';
import type { Row } from '../../specs/index.ts';
import { runAskedFor } from '../../specs/job.ts';
import type { DeploymentLogEntry } from '../../specs/log-entry.ts';
import { newId, timestamp } from '../../specs/meta.ts';
import type { Store } from '../../api/store/store.ts';
import { nextAddress } from '../addresses/next.ts';
import { addressesIn } from '../addresses/taken.ts';
import type { Builds } from '../build/builds.ts';
import type { Engine } from '../engine/engine.ts';
import { imageTag } from '../engine/names.ts';
import { mayRun, pauseOthersIn, resumeIn, unparkIn } from './hand-over.ts';
import type { Observed } from './observe.ts';
import { promoteIn, type PromotionDeps } from './promotion.ts';
import type { Step } from './step.ts';

export type { Step } from './step.ts';

export interface StepDeps extends PromotionDeps {
  store: Store;
  engine: Pick<Engine, 'tagImage' | 'removeImage'>;
  builds: Builds;
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
  tagImage: ({ image }, row, { engine }) => engine.tagImage(image, imageTag(row)),
  runReleaseJob,
  stopReleaseJob: ({ run }, _, { store }) =>
    store.write(async (writer) => {
      await writer.updateSpec('Run', run, (spec) => ({ ...spec, stopped: true }));
    }),
  createReplica,
  removeReplica: ({ id }, _, { store }) => store.write((writer) => writer.markDeleted('Replica', id)),
  pauseOthers: ({ epoch }, row, deps, observed) =>
    deps.store.write((writer) => pauseOthersIn(writer, row, epoch, observed, deps)),
  resume: ({ epoch }, row, { store }, observed) =>
    store.write((writer) => resumeIn(writer, row, epoch, observed)),
  unpark: (_, row, { store }) => store.write((writer) => unparkIn(writer, row)),
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
  const isMade = await deps.store.write(async (writer) => {
    const there = await writer.find('Replica', row.id, name);
    if ((there && there.deleted_at === null) || !(await mayRun(row, epoch, writer))) return false;
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
    return true;
  });
  if (isMade) say(`Starting replica ${index + 1}`, row, deps);
}

/** Named after the deployment, so that it is asked for once. */
async function runReleaseJob(
  { job: jobId }: Extract<Step, { do: 'runReleaseJob' }>,
  row: Row<'Deployment'>,
  deps: StepDeps,
): Promise<void> {
  const { store, clock, random } = deps;
  const name = await store.write(async (writer) => {
    const job = await writer.get('Job', jobId);
    const spec = job && frozenRun(job, row, { trigger: 'release', scheduled_for: null });
    if (!spec || job.deleted_at !== null || (await writer.find('Run', jobId, row.id))) return undefined;
    const id = newId('run', clock.now(), random(10));
    await writer.create('Run', { id, name: row.id, owner: jobId, spec, status: runAskedFor });
    return job.name;
  });
  if (name !== undefined) say(`Running the release job ${name}`, row, deps);
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

/** Found out again after a power cut, which leaves no replica to route to anyway. */
function promote(
  { epoch }: Extract<Step, { do: 'promote' }>,
  row: Row<'Deployment'>,
  deps: StepDeps,
  observed: Observed,
): Promise<void> {
  return deps.store.write((writer) => promoteIn(writer, row, epoch, observed, deps), { lazy: true });
}
