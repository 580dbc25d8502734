/** Finds a Docker engine, or installs one. Starting a private one is the node's own business (SERVICE_ENGINE=managed). */
import { createInterface } from 'node:readline/promises';
import { answers } from './engine-api.ts';
import { installed, run } from './shell.ts';
import type { Steps } from './step.ts';

export interface Asking {
  /** Ask before installing. Without a terminal nobody could answer, so that means yes. */
  ask: boolean;
  steps: Steps;
}

/** @returns a value for SERVICE_ENGINE */
export async function findEngine({ ask, steps }: Asking): Promise<string> {
  const candidates = [
    process.env['DOCKER_HOST'],
    'unix:///var/run/docker.sock',
    'unix:///run/podman/podman.sock',
  ];
  for (const endpoint of candidates) {
    if (endpoint?.startsWith('unix://') && (await answers(endpoint))) return endpoint;
  }
  if (process.getuid?.() !== 0) {
    throw new Error(
      'No Docker engine answers here, and only root can start one: start Docker (or run this as root) and try again.',
    );
  }
  if (!(await installed('dockerd'))) await install('docker.io', 'a Docker engine', { ask, steps });
  // A private engine gets interfaces of its own.
  if (!(await installed('ip')) && !(await installed('busybox'))) {
    await install('iproute2', 'tools for its network', { ask, steps });
  }
  // Its package may have started it as a system service.
  return (await answers('unix:///var/run/docker.sock')) ? 'unix:///var/run/docker.sock' : 'managed';
}

/** Installs a Debian package, having said so. */
export async function install(name: string, what: string, { ask, steps }: Asking): Promise<void> {
  if (!(await installed('apt-get'))) {
    throw new Error(
      `This needs ${what}, and there is no apt-get here to install it with: install ${name} yourself and try again.`,
    );
  }
  steps.say(`\n  About to install Debian's package ${name} (${what}) with apt-get.`);
  if (ask && !(await agreed()))
    throw new Error(`Nothing was installed. Install ${name} yourself, or run this again with --yes.`);
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const args = ['install', '-y', '-q', '--no-install-recommends', name];
  await run('apt-get', args, { env }).catch(async () => {
    await run('apt-get', ['update', '-q'], { env });
    await run('apt-get', args, { env });
  });
}

async function agreed(): Promise<boolean> {
  const prompt = createInterface({ input: process.stdin, output: process.stdout });
  const answer = await prompt.question('  Go ahead? [Y/n] ');
  prompt.close();
  return !/^n/i.test(answer.trim());
}
