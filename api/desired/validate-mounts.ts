/** What the schema of `volumes` cannot say: where something may be mounted, and what a project may mount of the host. Pure. */
import { hostPathsOf, type HostPath } from '../../specs/host-path.ts';
import { targetFault } from '../../specs/mount-target.ts';
import type { Violation } from '../../specs/problem.ts';
import type { VolumeMount } from '../../specs/workload.ts';

/** A project, and what the node's operator allows. */
export interface Host {
  project: string;
  paths: readonly HostPath[];
}

/** @param mounts as the client sent them: violations are pointers into them */
export function mountViolations(mounts: readonly VolumeMount[], host: Host): Violation[] {
  return mounts.flatMap((wanted, index) => {
    const others = mounts.filter((_, other) => other !== index).map(({ mount }) => mount);
    const target = targetFault(wanted.mount, others);
    const source = 'host' in wanted ? hostFault(wanted.host, host) : volumeFault(wanted.name, mounts, index);
    return [
      ...(target === undefined ? [] : [{ path: `/volumes/${index}/mount`, message: target }]),
      ...(source === undefined ? [] : [{ path: `/volumes/${index}/${source.at}`, message: source.message }]),
    ];
  });
}

interface Fault {
  at: 'host' | 'name';
  message: string;
}

function hostFault(name: string, { project, paths }: Host): Fault | undefined {
  const allowed = hostPathsOf(paths, project).map((path) => path.name);
  if (allowed.includes(name)) return undefined;
  const known =
    allowed.length === 0
      ? `project ${project} may mount nothing of the host`
      : `project ${project} may mount ${allowed.sort().join(', ')}`;
  return {
    at: 'host',
    message: `is not allowed: ${known}. Who runs the node allows host paths by name in SERVICE_HOST_PATHS`,
  };
}

function volumeFault(name: string, mounts: readonly VolumeMount[], index: number): Fault | undefined {
  const first = mounts.findIndex((other) => 'name' in other && other.name === name);
  return first === index ? undefined : { at: 'name', message: `is mounted already: see /volumes/${first}` };
}
