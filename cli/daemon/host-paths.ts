/**
 * Checks the host paths that projects are to get, all of them at start and each again when it is mounted: what a workload writes there must never be able to reach the
 * node itself, or the engine.
 */
import { realpathSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import type { Log } from '../../controllers/runtime/log.ts';
import { isWithin, type HostPath } from '../../specs/host-path.ts';
import { SettingsError } from './settings.ts';

/** What none of them may be, lie in, or hold. */
export interface Guarded {
  dataDir: string;
  runDir: string;
  /** Where the engine is asked: `unix://…` or `tcp://…`. */
  endpoint: string;
}

/** Where engines put their sockets, whichever is used. */
const engineSockets = [
  '/run/docker.sock',
  '/run/containerd',
  '/run/podman',
  '/var/lib/docker',
  '/var/lib/containers',
];

/** @throws SettingsError that lists everything wrong, a line each */
export function checkHostPaths(paths: readonly HostPath[], guarded: Guarded): void {
  const own = ownPaths(guarded);
  const faults = paths.flatMap((entry) => {
    const fault = faultOf(entry, own) ?? nested(entry, paths);
    return fault === undefined ? [] : [`SERVICE_HOST_PATHS: ${entry.project}/${entry.name}: ${fault}`];
  });
  if (faults.length > 0) throw new SettingsError(faults);
}

/**
 * Says what is wrong with a host path now that was right at start: another directory, or a link, may have taken its place. Asked
 * before each start of a container; the log says it to who runs the node. Only who may write to the parent directory, which is never a
 * workload, can swap it between this look and the engine's own.
 * @returns the end of a sentence; undefined: nothing
 */
export function hostPathFaults(
  guarded: Guarded,
  log: Pick<Log, 'warn'>,
): (entry: HostPath) => string | undefined {
  return (entry) => {
    const fault = faultOf(entry, ownPaths(guarded));
    if (fault !== undefined) log.warn({ fault }, `${entry.project}/${entry.name} cannot be mounted`);
    return fault;
  };
}

function ownPaths({ dataDir, runDir, endpoint }: Guarded): string[] {
  return [dataDir, runDir, ...engineSockets, socketOf(endpoint)].flatMap((path) =>
    path === undefined ? [] : [path, resolved(path)],
  );
}

function faultOf({ path, readOnly }: HostPath, guarded: readonly string[]): string | undefined {
  const kind = statSync(path, { throwIfNoEntry: false });
  if (!kind) return `there is no ${path}: make it first`;
  if (!kind.isDirectory()) return `${path} is no directory`;
  const real = realpathSync(path);
  if (real !== path) return `${path} is behind a symbolic link: write ${real}`;
  const kept = [...kernel, ...guarded, ...(readOnly ? [] : system)];
  const part = kept.find((own) => isWithin(path, own) || isWithin(own, path));
  return part === undefined ? undefined : `${path} is, holds or lies in ${part}, which no workload may have`;
}

const kernel = ['/proc', '/sys', '/dev'];
/** Whoever writes there is root. */
const system = ['/boot', '/etc', '/lib', '/root', '/usr'];

/** A workload that writes in the outer one could put a link in the place of the inner one. */
function nested({ path }: HostPath, all: readonly HostPath[]): string | undefined {
  const outer = all.find((other) => other.path !== path && !other.readOnly && isWithin(path, other.path));
  return outer && `${path} lies in ${outer.path}, which ${outer.project}/${outer.name} may write to`;
}

function socketOf(endpoint: string): string | undefined {
  return endpoint.startsWith('unix://') ? endpoint.slice('unix://'.length) : undefined;
}

/** As far as it is there. */
function resolved(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === '/'
      ? path
      : `${resolved(dirname(path))}/${path.slice(dirname(path).length).replace(/^\//, '')}`;
  }
}
