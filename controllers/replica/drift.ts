/** What somebody changed at a replica's container, and what is to become of that. Pure. */
import type { Row } from '../../specs/index.ts';
import { canonicalJson } from '../../specs/revision.ts';
import { isWithin } from '../addresses/next.ts';
import { driftOf as driftOfContainer, type Mend, type Wanted } from '../drift/drift.ts';
import type { ContainerState } from '../engine/engine.ts';
import { replicaName } from '../engine/names.ts';
import type { Observed } from './observe.ts';

export interface Drift {
  /** In this order. That of the limits comes last: the engine may refuse it. */
  steps: Mend[];
  /** What had drifted, in words. */
  found: string[];
  /** Its limits are to become others, because somebody asked for that. */
  isResize: boolean;
  /** Something lasts as long as its container: it is to be replaced by another one. */
  isWorn: boolean;
}

/** What its container is to be; undefined while something of that is not there. */
export function wantedOf(
  row: Row<'Replica'>,
  { deployment, service, project }: Observed,
): Wanted | undefined {
  if (!deployment || !service || !project) return undefined;
  const { network: id, network_name: name } = project.status;
  if (id === null || name === null) return undefined;
  return {
    name: replicaName({ replica: row, deployment, service, project }),
    network: { name, id },
    address: row.spec.address,
    resources: deployment.spec.workload.resources,
  };
}

/** @param container of a replica that is wanted, and whose project has its network */
export function driftOf(row: Row<'Replica'>, container: ContainerState, observed: Observed): Drift {
  const wanted = wantedOf(row, observed);
  if (!wanted) return { steps: [], found: [], isResize: false, isWorn: false };
  const { steps, found, limits, tuned, lasting } = driftOfContainer(container, wanted);
  const isWorn = lasting.length > 0 && mayBeReplaced(row, observed);
  const changed = [...tuned, ...limits];
  // What is in force was put there by nobody else: then what is wanted has changed.
  const isResize =
    limits.length > 0 &&
    tuned.length === 0 &&
    canonicalJson(row.status.resources) !== canonicalJson(wanted.resources);
  return {
    // Until it is replaced as well: what lasts may have undone a limit.
    steps: [...steps, ...(changed.length > 0 || isWorn ? [{ do: 'limit' } as const] : [])],
    found: [
      ...found,
      ...(changed.length > 0 && !isResize ? [`its limits were changed (${changed.join(', ')})`] : []),
      ...(isWorn ? [`${lasting.join(', ')} (only another container undoes that: it is replaced)`] : []),
    ],
    isResize,
    isWorn,
  };
}

/** Nobody compares it with the one before. */
function mayBeReplaced(row: Row<'Replica'>, observed: Observed): boolean {
  return serves(row, observed) && observed.service?.status.bake === null;
}

/** It belongs to what serves, and nothing takes its place already. */
export function serves(row: Row<'Replica'>, { deployment, service }: Observed): boolean {
  if (!deployment || !service || service.deleted_at !== null || deployment.spec.stopped) return false;
  const { running, target, epoch } = service.spec.rollout;
  const isPromoted = service.status.promoted === deployment.id && deployment.status.epoch === row.spec.epoch;
  return isPromoted && running && target === deployment.id && epoch === row.spec.epoch;
}

/** Its project's network had to move to another range: it can never be in it again. */
export function isStranded(row: Row<'Replica'>, { project }: Observed): boolean {
  const subnet = project?.status.subnet ?? null;
  return subnet !== null && !isWithin(row.spec.address, subnet);
}
