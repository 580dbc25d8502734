/**
 * Gives a workload its volumes and host paths, for the moment in which its container is made. What cannot be had is a finding
 * about the workload: it never starts with something else, or with nothing, in its place.
 */
import { hostPathsOf, type HostPath } from '../../specs/host-path.ts';
import type { Clock, Random } from '../../specs/clock.ts';
import type { Row } from '../../specs/index.ts';
import { setConditions } from '../../specs/conditions.ts';
import { newId, timestamp } from '../../specs/meta.ts';
import { mostInProject } from '../../specs/project.ts';
import { volumePresent } from '../../specs/volume.ts';
import type { VolumeMount } from '../../specs/workload.ts';
import type { Store } from '../../api/store/store.ts';
import { EngineError, type Engine, type Mount } from '../engine/engine.ts';
import { volumeName } from '../engine/names.ts';

/** The message is a sentence for a condition: what cannot be mounted, why, and what to do. */
export class MountUnavailableError extends Error {
  constructor(message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'MountUnavailableError';
  }
}

export interface MountDeps {
  store: Pick<Store, 'write' | 'patchStatus'>;
  engine: Pick<Engine, 'ensureVolume' | 'listVolumes'>;
  clock: Clock;
  random: Random;
  nodeId: string;
  /** What the node's operator allows now. */
  hostPaths: readonly HostPath[];
  /** What is wrong with one at this moment, as the end of a sentence; undefined: nothing. */
  hostPathFault: (path: HostPath) => string | undefined;
}

/** Whose they are. */
export interface MountOwner {
  service: Pick<Row<'Service'>, 'name'>;
  project: Pick<Row<'Project'>, 'id' | 'name'>;
}

/** @returns what the engine is told, in the same order. Throws MountUnavailableError when there is one that cannot be had */
export async function provideMounts(
  mounts: readonly VolumeMount[],
  owner: MountOwner,
  deps: MountDeps,
): Promise<Mount[]> {
  const provided: Mount[] = [];
  for (const wanted of mounts) {
    provided.push(
      'host' in wanted
        ? hostMount(wanted.host, wanted.mount, owner, deps)
        : { volume: await provideVolume(wanted.name, owner, deps), target: wanted.mount },
    );
  }
  return provided;
}

/**
 * For a container that is started again: the engine follows the path anew, wherever it leads by now. One that is no longer
 * allowed stays with the containers that have it. Throws MountUnavailableError.
 */
export function checkHostMounts(
  mounts: readonly VolumeMount[],
  owner: Pick<MountOwner, 'project'>,
  deps: Pick<MountDeps, 'hostPaths' | 'hostPathFault'>,
): void {
  const isAllowed = (name: string): boolean =>
    hostPathsOf(deps.hostPaths, owner.project.name).some((path) => path.name === name);
  for (const wanted of mounts)
    if ('host' in wanted && isAllowed(wanted.host)) hostMount(wanted.host, wanted.mount, owner, deps);
}

/** It was allowed when it was asked for; the setting may have changed since. */
function hostMount(
  name: string,
  target: string,
  { project }: Pick<MountOwner, 'project'>,
  deps: Pick<MountDeps, 'hostPaths' | 'hostPathFault'>,
): Mount {
  const { hostPaths, hostPathFault } = deps;
  const allowed = hostPathsOf(hostPaths, project.name).find((path) => path.name === name);
  if (!allowed)
    throw new MountUnavailableError(
      `The node does not allow project ${project.name} the host path ${name} any more: ` +
        'take it out of volumes, or ask who runs the node for it (SERVICE_HOST_PATHS).',
    );
  // Where it is on the host is nobody's business but the operator's, who finds it in the node's log.
  const fault = hostPathFault(allowed);
  if (fault !== undefined)
    throw new MountUnavailableError(
      `The host path ${name} of project ${project.name} is not what was allowed any more: ask who runs the node to look at it.`,
      { cause: new Error(fault) },
    );
  return { source: allowed.path, target, ...(allowed.readOnly ? { readOnly: true as const } : {}) };
}

/** The row first, so that nothing is at the engine that no row speaks of. @returns its name there */
async function provideVolume(name: string, owner: MountOwner, deps: MountDeps): Promise<string> {
  const row = await volumeRow(name, owner, deps);
  const { engine, store, nodeId } = deps;
  const labels = { 'svc.node': nodeId, 'svc.volume': row.id };
  const known = row.status.engine_name;
  if (known !== null) {
    if ((await engine.listVolumes(labels)).some((volume) => volume.name === known)) return known;
    // To make an empty one would look to the workload as if it had never had data.
    throw new MountUnavailableError(
      `The engine has lost the volume ${row.name}: restore it there under its name, ` +
        `or begin with an empty one after svc volumes destroy ${row.name} -p ${owner.project.name}.`,
    );
  }
  const made = volumeName(nodeId, row);
  try {
    await engine.ensureVolume({
      name: made,
      labels: { ...labels, 'svc.project': owner.project.name, 'svc.service': owner.service.name },
    });
  } catch (cause) {
    if (!(cause instanceof EngineError) || cause.code !== 'conflict') throw cause;
    throw new MountUnavailableError(cause.message, { cause });
  }
  // Durable: from now on the data is the workload's.
  const conditions = setConditions(row.status.conditions, [volumePresent], timestamp(deps.clock.now()));
  const patch = { engine_name: made, conditions };
  await store.patchStatus('Volume', row.id, row.generation, patch, { durable: true });
  return made;
}

function volumeRow(
  name: string,
  { service, project }: MountOwner,
  { store, clock, random }: MountDeps,
): Promise<Row<'Volume'>> {
  const full = `${service.name}.${name}`;
  return store.write(async (writer) => {
    const found = await writer.find('Volume', project.id, full);
    if (found && found.deleted_at === null) return found;
    const living = await writer.get('Project', project.id);
    if (!living || living.deleted_at !== null)
      throw new MountUnavailableError(`Project ${project.name} is being deleted and gets no new volume.`);
    const volumes = await writer.list('Volume', { owner: project.id });
    if (volumes.filter((volume) => volume.deleted_at === null).length >= mostInProject.Volume)
      throw new MountUnavailableError(
        `Project ${project.name} has ${mostInProject.Volume} volumes and gets no more: destroy one that nothing needs (svc volumes list -p ${project.name}).`,
      );
    return writer.create('Volume', {
      ...{ id: newId('volume', clock.now(), random(10)), name: full, owner: project.id },
      spec: { project_id: project.id, service: service.name, volume: name },
      status: { engine_name: null, conditions: [] },
    });
  });
}
