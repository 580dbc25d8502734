/**
 * The way without svc: `docker build`, `docker run` with the rights and limits that svc gives, and a question every 20 ms
 * until the workload answers. Nothing is inspected, published or cleaned up while the clock runs.
 */
import { access } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { creationOf } from '../../../controllers/engine/docker/creation.ts';
import { ask, engineCall } from '../../support/http-answer.ts';
import { now } from './clock.ts';
import { timed } from './process.ts';

export interface HandRound {
  began: number;
  built: number;
  ran: number;
  served: number;
}

export interface ByHand {
  /** @param dir build context @param expected what the workload has to answer */
  round(dir: string, expected: string): Promise<HandRound>;
  close(): Promise<void>;
}

const network = 'svc-bench-by-hand';
const subnet = '10.199.199.0/24';
const port = 8080;
/** Milliseconds between two questions. */
const pollEvery = 20;

/** @param endpoint of the engine; the docker command has to be able to build with BuildKit there */
export async function byHand(endpoint: string, trialDir: string): Promise<ByHand> {
  const env = { ...process.env, DOCKER_HOST: endpoint, DOCKER_BUILDKIT: '1' };
  const image = (number: number): string => `${network}:${number}`;
  const docker = await findDocker(env, trialDir, image(0));
  await engineCall(endpoint, 'DELETE', `/networks/${network}`);
  await timed(docker, { env, args: ['network', 'create', '--subnet', subnet, network] });
  let rounds = 0;

  const remove = async (number: number): Promise<void> => {
    await engineCall(endpoint, 'DELETE', `/containers/${network}-${number}?force=1&v=1`);
  };
  return {
    async round(dir, expected) {
      rounds += 1;
      const address = `10.199.199.${2 + (rounds % 250)}`;
      const name = `${network}-${rounds}`;
      const build = await timed(docker, { env, args: ['build', '--tag', image(rounds), dir] });
      const args = ['run', '--detach', '--name', name, ...rights(address), image(rounds)];
      const run = await timed(docker, { env, args });
      await untilServed(address, expected);
      const served = now();
      await remove(rounds);
      return { began: build.began, built: build.ended, ran: run.ended, served };
    },
    async close() {
      await remove(rounds);
      for (let number = 0; number <= rounds; number += 1)
        await engineCall(endpoint, 'DELETE', `/images/${image(number)}?force=1`);
      await engineCall(endpoint, 'DELETE', `/networks/${network}`);
    },
  };
}

/** What svc gives a container, as flags. */
function rights(address: string): string[] {
  const limits = { memoryBytes: 512 * 2 ** 20, cpus: 1, pids: 512 };
  const { HostConfig: host } = creationOf({
    ...{ name: '', image: '', env: {}, labels: {}, network: { name: network, address }, limits, mounts: [] },
  });
  return [
    ...['--network', network, '--ip', address, '--env', `PORT=${port}`, '--init', '--no-healthcheck'],
    ...['--memory', String(host.Memory), '--memory-swap', String(host.MemorySwap)],
    ...['--cpus', String(limits.cpus), '--pids-limit', String(host.PidsLimit)],
    ...host.CapDrop.flatMap((name) => ['--cap-drop', name]),
    ...host.CapAdd.flatMap((name) => ['--cap-add', name]),
    ...host.SecurityOpt.flatMap((option) => ['--security-opt', option]),
    ...['--log-driver', host.LogConfig.Type],
    ...Object.entries(host.LogConfig.Config).flatMap(([name, value]) => ['--log-opt', `${name}=${value}`]),
  ];
}

async function untilServed(address: string, expected: string): Promise<void> {
  for (const end = now() + 30_000; now() < end;) {
    const answer = await ask({ host: address, port }).catch(() => undefined);
    if (answer?.status === 200 && answer.text === expected) return;
    await new Promise((resolve) => setTimeout(resolve, pollEvery));
  }
  throw new Error('what was started by hand does not answer');
}

/** The first docker command on the path that can build with BuildKit: a new one needs a plugin for that. */
async function findDocker(env: NodeJS.ProcessEnv, dir: string, tag: string): Promise<string> {
  const failures: unknown[] = [];
  for (const folder of (env['PATH'] ?? '').split(delimiter)) {
    const program = join(folder, 'docker');
    const isThere = await access(program).then(
      () => true,
      () => false,
    );
    if (!isThere) continue;
    try {
      await timed(program, { env, args: ['build', '--tag', tag, dir] });
      return program;
    } catch (error) {
      failures.push(error);
    }
  }
  throw new AggregateError(
    failures,
    'no docker command here builds with BuildKit: install Debian’s docker.io',
  );
}
