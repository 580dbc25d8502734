/** Does to a simulated node what a command says: what people ask goes through the API's own rules. */
import { livingService } from '../../api/desired/living.ts';
import { deploy } from '../../api/desired/deploy.ts';
import type { ApiContext } from '../../api/context.ts';
import { updateSecrets } from '../../api/desired/update-secrets.ts';
import { updateService } from '../../api/desired/update-service.ts';
import { rollback } from '../../api/desired/rollback.ts';
import { restartService, startService, stopService } from '../../api/desired/run-state.ts';
import { stopDeployment } from '../../api/desired/stop-deployment.ts';
import { imageTag } from '../../controllers/engine/names.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { BuildScript } from '../support/fake-build.ts';
import type { FakeContainer } from '../support/fake-container.ts';
import type { BuildEnd, Command, HandMade, Nature, SecretName } from './history.ts';
import { send } from './requests.ts';
import { programs } from './truth.ts';
import type { World } from './world.ts';

type Executors = {
  [K in Command['do']]: (world: World, command: Extract<Command, { do: K }>) => Promise<unknown> | void;
};

const executors: Executors = {
  push: (world, { service, build, nature }) => push(world, serviceOf(world, service), build, nature),
  'roll back': (world, { service, back }) => rollBack(world, serviceOf(world, service), back),
  stop: (world, { service }) => {
    world.invariants.disturbed(serviceOf(world, service));
    return stopService(world.store, serviceOf(world, service));
  },
  start: (world, { service }) => startService(world.store, serviceOf(world, service)),
  restart: (world, { service }) => restartService(world.store, serviceOf(world, service)),
  'stop deployment': (world, { service, back }) => stopOne(world, serviceOf(world, service), back),
  configure: (world, { service, mode }) =>
    updateService(world.store, serviceOf(world, service), { env: { MODE: mode } }),
  scale: (world, { service, replicas }) => scale(world, serviceOf(world, service), replicas),
  requests: (world, { service, count }) => send(world, serviceOf(world, service), count),
  'set secret': (world, { service, name, value }) =>
    world.secrets.set(serviceOf(world, service), name, value),
  'declare secret': (world, { service, name }) => declare(world, serviceOf(world, service), name),
  'unset secret': (world, { service, name }) =>
    updateSecrets(world.store, serviceOf(world, service), { unset: [name] }),
  'delete service': (world, { service }) => world.tenants.deleteService(serviceOf(world, service)),
  'delete project': (world, { service }) => world.tenants.deleteProjectOf(serviceOf(world, service)),
  create: ({ tenants }, { service }) => tenants.fill(service),
  'workload dies': (world, { nth }) => {
    const container = pick(world, nth);
    if (container) die(world, container, nth % 2 === 0);
  },
  'container removed': (world, { nth }) => {
    const container = pick(world, nth);
    if (!container || !world.engineThere) return;
    harm(world, container);
    // A fault that waits for such a call may hit this one: then it is still there.
    world.engine.removeReplica(container.id).catch(() => undefined);
  },
  'container changed': (world, { nth, how }) => {
    const container = pick(world, nth);
    if (!container || !world.engineThere) return;
    harm(world, container);
    changeByHand(world, container, how);
  },
  resize: (world, { service, memory }) =>
    updateService(world.store, serviceOf(world, service), { resources: { memory } }),
  'engine away': (world, { ms }) => {
    world.engineGoes();
    world.clock.after(ms, () => world.engineComes());
  },
  'start comes late': ({ lateStarts }) => lateStarts.expect(),
  'engine fault': (world, { method, fault, times }) => world.engine.inject(method, fault, times),
  'member stalls': (world, { slot, ms }) => world.ingress.stall(slot, ms),
  'member dies': (world, { slot }) => world.ingress.kill(slot),
  'control plane killed': (world, { ms }) => {
    world.killControlPlane();
    return comeBack(world, ms);
  },
  'control plane stopped': async (world, { ms }) => {
    await world.stopControlPlane();
    for (const slot of [-1, 0, 1]) world.ingress.kill(slot);
    await comeBack(world, ms);
  },
  'power cut': (world, { ms }) => {
    world.killControlPlane();
    for (const slot of [-1, 0, 1]) world.ingress.kill(slot);
    world.lateStarts.forget();
    for (const container of world.truth.containers()) die(world, container, false);
    world.engineComes();
    return comeBack(world, ms);
  },
  'clock set': (world, { by }) => {
    world.clock.jump(by);
    world.lost += Math.abs(by);
  },
  'key lost': (world, { ms }) => {
    world.clock.after(ms, world.secrets.loseKey());
  },
  wait: (world, { ms }) => world.clock.advance(ms),
  'wait a little': (world, { steps }) => world.clock.steps(steps),
};

/** What the API refuses is no fault: people may ask for anything at any time. */
export async function act(world: World, command: Command): Promise<void> {
  // The map is exhaustive over Command['do']; TypeScript cannot see that key and argument belong together.
  const execute = executors[command.do] as (world: World, command: Command) => Promise<unknown> | void;
  try {
    await execute(world, command);
  } catch (error) {
    if (!(error instanceof ProblemError)) throw error;
  }
  if ('service' in command) await world.ledger.note(serviceOf(world, command.service));
  await world.clock.advance(0);
}

async function push(world: World, serviceId: string, build: BuildEnd, nature: Nature): Promise<void> {
  const { store, api, disk, truth, engine } = world;
  const uploadId = api.newId('upload');
  const facts = { bytes: 512, unpacked_bytes: 1024, entries: 1, sha256: '0'.repeat(64) };
  const spec = { service_id: serviceId, ...facts };
  const row = { id: uploadId, name: uploadId, owner: serviceId, spec, status: { conditions: [] } };
  await store.write(async (writer) => {
    await livingService(writer, serviceId);
    disk.uploads.add(uploadId);
    await writer.create('Upload', row);
  });
  const body = { service_id: serviceId, upload_id: uploadId };
  const deployment = await deploy(api as ApiContext, body);
  truth.natures.set(deployment.id, nature);
  engine.scriptBuild(imageTag(deployment), scriptOf(build, nature));
}

async function scale({ store, truth }: World, serviceId: string, replicas: number): Promise<void> {
  const before = await store.get('Service', serviceId);
  truth.scaled(serviceId, before?.spec.replicas ?? replicas, replicas);
  await updateService(store, serviceId, { replicas });
}

async function declare({ store }: World, serviceId: string, name: SecretName): Promise<void> {
  const { spec } = (await store.get('Service', serviceId)) ?? {};
  if (spec)
    await updateService(store, serviceId, { secrets: [...new Set([...Object.keys(spec.secrets), name])] });
}

function scriptOf(build: BuildEnd, nature: Nature): BuildScript {
  const image = programs[nature];
  if (build === 'fails') return { lines: ['RUN false'], fails: 'RUN false: exit code 1' };
  return build === 'hangs' ? { hangs: true, image } : { lines: ['FROM busybox'], image };
}

async function rollBack(world: World, serviceId: string, back: number | null): Promise<void> {
  const deployments = await world.store.list('Deployment', { owner: serviceId });
  const id = back === null ? undefined : deployments[back]?.id;
  if (back === null || id !== undefined)
    await rollback(world.store, serviceId, id, { ifVersion: undefined, hostPaths: [] });
}

async function stopOne({ store, invariants }: World, serviceId: string, back: number): Promise<void> {
  const deployment = (await store.list('Deployment', { owner: serviceId }))[back];
  if (!deployment) return;
  const service = await store.get('Service', serviceId);
  // To stop the one that serves is to stop the service; to call one off that is under way is not.
  if (service?.status.promoted === deployment.id) invariants.disturbed(serviceId);
  await stopDeployment(store, deployment.id);
}

async function comeBack(world: World, ms: number): Promise<void> {
  await world.clock.advance(ms);
  world.lost += ms;
  await world.startControlPlane();
}

function pick(world: World, nth: number): FakeContainer | undefined {
  const containers = world.truth.containers();
  return containers[nth % Math.max(1, containers.length)];
}

function die(world: World, container: FakeContainer, outOfMemory: boolean): void {
  harm(world, container);
  if (outOfMemory) container.outOfMemory();
  else container.exit(1);
}

function changeByHand(world: World, container: FakeContainer, how: HandMade): void {
  const { engine } = world;
  const { id, spec } = container;
  const { name, address } = spec.network;
  // A fault that waits for such a call may hit this one: then nothing was changed.
  const done = (call: Promise<void>): void => void call.catch(() => undefined);
  switch (how) {
    case 'paused':
      container.pause();
      return;
    case 'disconnected':
      done(engine.disconnectReplica(id, name));
      return;
    case 'moved': {
      const elsewhere = address.replace(/\d+$/, '254');
      done(
        engine
          .disconnectReplica(id, name)
          .then(() => engine.connectReplica(id, { name, address: elsewhere })),
      );
      return;
    }
    case 'limited':
      done(engine.limitReplica(id, { memoryBytes: 2 ** 23, cpus: 0.1, pids: 20 }));
      return;
    case 'stopped':
      // Until the grace is over it may serve as before.
      done(engine.stopReplica(id, 10_000).finally(() => harm(world, container)));
  }
}

function harm({ invariants, truth }: World, { spec }: FakeContainer): void {
  const replica = truth.replicas.get(spec.labels['svc.replica'] ?? '');
  if (replica) invariants.disturbed(replica.spec.service_id);
}

function serviceOf({ services }: World, nth: number): string {
  return services[nth % services.length] ?? '';
}
