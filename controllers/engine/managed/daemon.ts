/** The process of a private engine: how it is started, found again and told from others. */
import { spawn } from 'node:child_process';
import { constants } from 'node:fs';
import { access, mkdir, open, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { interfacesLabel } from '../connect.ts';
import { EngineError } from '../engine.ts';
import type { Place } from './place.ts';
import { toolPath } from './run.ts';

/** The log starts anew, and the old one is kept once, when it is larger at a start. Bytes. */
const largestLog = 10 * 1024 * 1024;

/** Where the engine's program is, undefined when it is not installed. */
export async function findDockerd(): Promise<string | undefined> {
  for (const directory of toolPath.split(':')) {
    const file = join(directory, 'dockerd');
    if (
      await access(file, constants.X_OK).then(
        () => true,
        () => false,
      )
    )
      return file;
  }
  return undefined;
}

/**
 * What it is started with. Pure.
 * @param openFiles limit for every container
 */
export function argumentsOf(place: Place, openFiles: number): string[] {
  return [
    `--host=${place.endpoint}`,
    `--data-root=${place.root}`,
    `--exec-root=${place.execRoot}`,
    `--pidfile=${place.pidFile}`,
    // An empty one: the host's own Docker is configured in the default place.
    `--config-file=${place.configFile}`,
    `--bridge=${place.buildBridge}`,
    '--iptables=false',
    '--ip6tables=false',
    '--ip-masq=false',
    // Its own cgroups, made by itself: so that builds can be capped.
    `--cgroup-parent=${place.cgroupParent}`,
    '--exec-opt=native.cgroupdriver=cgroupfs',
    // Workloads go on while it restarts.
    '--live-restore',
    `--label=${interfacesLabel}=${place.interfaces}`,
    `--default-ulimit=nofile=${openFiles}:${openFiles}`,
    '--group=0',
    '--log-level=warn',
  ];
}

/** Starts it apart from this process: it lives on whatever happens to us. @returns its pid */
export async function launch(place: Place): Promise<number> {
  const program = await findDockerd();
  if (program === undefined)
    throw new EngineError(
      'unavailable',
      'dockerd is not installed: apt-get install docker.io, or set SERVICE_ENGINE to an engine',
    );
  await mkdir(place.dataDir, { recursive: true, mode: 0o700 });
  await mkdir(place.runDir, { recursive: true, mode: 0o700 });
  await writeFile(place.configFile, '{}\n', { mode: 0o600 });
  const size = await stat(place.logFile).then(
    (file) => file.size,
    () => 0,
  );
  if (size > largestLog) await rename(place.logFile, `${place.logFile}.1`);
  const log = await open(place.logFile, 'a', 0o600);
  try {
    const child = spawn(program, argumentsOf(place, await openFileLimit()), {
      cwd: '/',
      detached: true,
      env: environment(process.env),
      stdio: ['ignore', log.fd, log.fd],
    });
    child.unref();
    await new Promise<void>((resolve, reject) => {
      child.once('spawn', resolve);
      child.once('error', (error) =>
        reject(new EngineError('unavailable', 'dockerd cannot be run: reinstall Docker', error)),
      );
    });
    // Without a listener a later error would end this process.
    child.on('error', () => undefined);
    return child.pid ?? 0;
  } finally {
    await log.close();
  }
}

/** @returns the pid of this engine's process, undefined when none runs. Not of another that got the same pid. */
export async function findRunning(place: Place): Promise<number | undefined> {
  const pid = Number((await readFile(place.pidFile, 'utf8').catch(() => '')).trim());
  return Number.isInteger(pid) && pid > 1 && (await isOurs(place, pid)) ? pid : undefined;
}

/** Whether this process is this engine. False for a zombie. */
export async function isOurs(place: Place, pid: number): Promise<boolean> {
  const line = await readFile(`/proc/${pid}/cmdline`, 'utf8').catch(() => '');
  return line.split('\0').includes(`--pidfile=${place.pidFile}`);
}

/**
 * Enough for busy servers, far below the billion of some hosts, at which programs that close all files crawl; and not
 * above our own limit, which the engine inherits and may be unable to raise.
 */
async function openFileLimit(): Promise<number> {
  const limits = await readFile('/proc/self/limits', 'utf8');
  const own = Number(/^Max open files +\S+ +(\d+)/m.exec(limits)?.[1] ?? Infinity);
  return Math.min(65_536, own);
}

/** What it may know of our environment: how to reach registries. Nothing else, least of all secrets. */
function environment(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const passed = [
    'HTTP_PROXY',
    'HTTPS_PROXY',
    'NO_PROXY',
    'http_proxy',
    'https_proxy',
    'no_proxy',
    'DOCKER_RAMDISK',
  ];
  return {
    PATH: toolPath,
    HOME: '/root',
    ...Object.fromEntries(passed.flatMap((name) => (env[name] ? [[name, env[name]]] : []))),
  };
}
