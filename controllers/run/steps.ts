/** The effects of a run's plan. Each is idempotent: a pass that is cut off anywhere is mended by the next. */
import type { Row } from '../../specs/index.ts';
import type { RunStatus } from '../../specs/job.ts';
import type { Store } from '../../api/store/store.ts';
import type { Vault } from '../../api/store/vault.ts';
import { isWithin, nextAddress } from '../addresses/next.ts';
import { addressesIn } from '../addresses/taken.ts';
import type { Mend } from '../drift/drift.ts';
import { LimitsRefusedError, mend, type MendEngine } from '../drift/mend.ts';
import type { Engine } from '../engine/engine.ts';
import { openSecrets } from '../secrets/open.ts';
import { wantedOf } from './drift.ts';
import type { RunImages } from './images.ts';
import type { Observed } from './observe.ts';
import type { RunOutput } from './output.ts';
import { containerOf } from './place.ts';

export type Step =
  | { do: 'pull' }
  | { do: 'keepImage'; image: string }
  | { do: 'forgetImage' }
  /** Counts one more try and takes an address for it. */
  | { do: 'begin' }
  | { do: 'create' }
  | { do: 'start' }
  | Mend
  | { do: 'follow' }
  | { do: 'stop' }
  /** Takes what is left of its output. */
  | { do: 'drain' }
  | { do: 'remove'; ids: string[] }
  | { do: 'removeLogs' }
  | { do: 'purge' };

/** Time between SIGTERM and SIGKILL. Milliseconds. */
const stopGraceMs = 10_000;

export interface StepDeps {
  store: Store;
  vault: Pick<Vault, 'open'>;
  engine: Pick<Engine, 'createReplica' | 'startReplica' | 'removeReplica'> & MendEngine;
  images: RunImages;
  nodeId: string;
  output: Pick<RunOutput, 'follow' | 'drain'>;
  /** Stops a container in the background and wakes the run when it has stopped. */
  stopSoon: (runId: string, container: string, graceMs: number) => void;
  removeLogs: (runId: string) => Promise<void>;
}

interface Scene {
  row: Row<'Run'>;
  observed: Observed;
  /** What the steps have found out or decided. */
  known: Pick<RunStatus, 'container' | 'image'>;
  /** Why the engine does not give it the limits that it is to have. */
  limitsRefused?: string;
}

type Executors = {
  [K in Step['do']]: (step: Extract<Step, { do: K }>, scene: Scene, deps: StepDeps) => Promise<void> | void;
};

const executors: Executors = {
  pull: (_, { row }, { images }) => images.start(row),
  keepImage({ image }, { row, known }, { images }) {
    known.image = image;
    images.forget(row.id);
  },
  forgetImage: (_, { row }, { images }) => images.forget(row.id),
  begin,
  create,
  start: async (_, { known }, { engine }) => {
    if (known.container !== null) await engine.startReplica(known.container);
  },
  unpause: putRight,
  disconnect: putRight,
  connect: putRight,
  rename: putRight,
  limit: putRight,
  follow,
  stop: (_, { row, known }, { stopSoon }) => {
    if (known.container !== null) stopSoon(row.id, known.container, stopGraceMs);
  },
  async drain(_, scene, deps) {
    follow(_, scene, deps);
    await deps.output.drain(scene.row.id);
  },
  async remove({ ids }, { row, known }, { engine, output }) {
    await output.drain(row.id);
    for (const id of ids) await engine.removeReplica(id);
    known.container = null;
  },
  removeLogs: (_, { row }, { removeLogs }) => removeLogs(row.id),
  purge: (_, { row }, { store }) => store.write((writer) => writer.purge('Run', row.id)),
};

/** What is now known of its container and its image, and of its limits. */
export type Applied = Pick<Scene, 'known' | 'limitsRefused'>;

export async function apply(
  steps: readonly Step[],
  row: Row<'Run'>,
  observed: Observed,
  deps: StepDeps,
  signal: AbortSignal,
): Promise<Applied> {
  const known = { container: observed.container?.id ?? null, image: row.status.image };
  const scene: Scene = { row, observed, known };
  for (const step of steps) {
    signal.throwIfAborted();
    // The map is exhaustive over Step['do']; TypeScript cannot see that key and argument belong together.
    const execute = executors[step.do] as (step: Step, scene: Scene, deps: StepDeps) => Promise<void> | void;
    await execute(step, scene, deps);
  }
  return scene;
}

/** A try goes on with the limits that it has where the engine refuses others. */
async function putRight(step: Mend, scene: Scene, { engine }: StepDeps): Promise<void> {
  const wanted = wantedOf(scene.row, scene.observed);
  const { container } = scene.known;
  if (container === null || !wanted) return;
  try {
    await mend(step, container, wanted, engine);
  } catch (error) {
    if (!(error instanceof LimitsRefusedError)) throw error;
    scene.limitsRefused = error.message;
  }
}

function follow(_: Step, { row, known }: Scene, { output }: StepDeps): void {
  const { container } = known;
  if (container === null) return;
  output.follow({ run: row.id, project: row.spec.project_id, number: row.status.tries, container });
}

/**
 * On the disk before anything is made: a try that is not on record never has a container. Does nothing once somebody asked
 * for something else.
 */
async function begin(_: Step, { row, observed, known }: Scene, { store }: StepDeps): Promise<void> {
  const subnet = observed.project?.status.subnet;
  if (typeof subnet !== 'string') throw new Error('a run needs the range of its project');
  known.container = null;
  await store.write(async (writer) => {
    const now = await writer.get('Run', row.id);
    if (now?.generation !== row.generation || now.status.tries !== row.status.tries) return;
    const kept = now.status.address;
    const address =
      kept !== null && isWithin(kept, subnet)
        ? kept
        : nextAddress(subnet, await addressesIn(row.spec.project_id, writer));
    const patch = { tries: row.status.tries + 1, address, container: null, retry_at: null };
    await writer.patchStatus('Run', row.id, row.generation, patch);
  });
}

/** Throws SecretUnavailableError before anything is made. */
async function create(_: Step, { row, observed, known }: Scene, deps: StepDeps): Promise<void> {
  const { job, project, service } = observed;
  const network = project?.status.network_name;
  const { image, address, tries } = row.status;
  if (!job || !project || typeof network !== 'string' || image === null || address === null)
    throw new Error('a try needs its job, its project with a network, an image and an address');
  const secrets = service ? await openSecrets(row.spec.secrets, { service, project }, deps.vault) : {};
  const place = { network, address, image, tries, nodeId: deps.nodeId };
  known.container = await deps.engine.createReplica(
    containerOf({ run: row, job, project, service }, secrets, place),
  );
}
