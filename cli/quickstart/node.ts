/** Starts `svc serve` for the quickstart, or finds the one that runs, and stops it. */
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { request } from 'undici';
import { program, type Svc } from './client.ts';
import type { Place } from './place.ts';

/** Milliseconds until it must be ready. */
const startLimit = 45_000;

/** @returns how it came to run */
export async function startNode(place: Place, engine: string, svc: Svc): Promise<string> {
  if (await isOurs(await pidOf(place))) {
    await waitUntilReady(place);
    return `already running at ${place.apiUrl}`;
  }
  if (await answers(place)) {
    throw new Error(`Something else listens at ${place.apiUrl}: set QUICKSTART_API_PORT to another port.`);
  }
  await mkdir(place.configDir, { recursive: true, mode: 0o700 });
  await svc(['setup', '--data-dir', place.dataDir]);
  const flags = [
    ['--data-dir', place.dataDir],
    ['--engine', engine],
    ['--http-listen', `:${place.httpPort}`],
    ['--https-listen', ''],
    ['--api-listen', new URL(place.apiUrl).host],
    ['--metrics-listen', ''],
    ['--apps-domain', 'localhost'],
  ].flat();
  const log = openSync(place.log, 'a', 0o600);
  const env = { ...process.env, SVC_CONFIG_DIR: place.configDir };
  const child = spawn(process.execPath, [program, 'serve', ...flags], {
    env,
    stdio: ['ignore', log, log],
    detached: true,
  });
  closeSync(log);
  const ended = new Promise<number>((resolve) => child.on('exit', (code) => resolve(code ?? -1)));
  child.unref();
  await Promise.race([
    waitUntilReady(place),
    ended.then(async (code) => {
      throw new Error(`svc serve ended with code ${code}:\n${await endOf(place.log)}`);
    }),
  ]);
  return `ready at ${place.apiUrl}, its log is ${place.log}`;
}

/** Asks the node to stop and waits until it has. Does nothing when it does not run. */
export async function stopNode(place: Place): Promise<void> {
  const pid = await pidOf(place);
  if (!(await isOurs(pid))) return;
  process.kill(pid, 'SIGTERM');
  while (await isOurs(pid)) await pause(100);
}

/** Pid of the process that has, or had, the data directory. */
async function pidOf(place: Place): Promise<number> {
  return Number(await readFile(join(place.dataDir, 'lock.pid'), 'utf8').catch(() => ''));
}

async function isOurs(pid: number): Promise<boolean> {
  if (!Number.isInteger(pid) || pid <= 1) return false;
  const command = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return command.includes(program) && command.includes('serve');
}

async function ready(place: Place): Promise<boolean> {
  return (await statusOf(place)) === 200;
}

async function answers(place: Place): Promise<boolean> {
  return (await statusOf(place)) !== undefined;
}

async function statusOf(place: Place): Promise<number | undefined> {
  return request(`${place.apiUrl}/readyz`).then(
    async ({ statusCode, body }) => {
      await body.dump();
      return statusCode;
    },
    () => undefined,
  );
}

async function waitUntilReady(place: Place): Promise<void> {
  const until = performance.now() + startLimit;
  while (!(await ready(place))) {
    if (performance.now() > until)
      throw new Error(`svc serve was not ready in ${startLimit / 1000} s:\n${await endOf(place.log)}`);
    await pause(50);
  }
}

async function endOf(path: string): Promise<string> {
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.trim().split('\n').slice(-15).join('\n');
}

export function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
