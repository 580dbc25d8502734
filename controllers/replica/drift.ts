/**
 * What somebody changed at a container by hand, and what puts it right while it goes on running: whether it is frozen, what
 * it is connected to, and its limits. The rest of a container cannot be changed at the engine. Pure.
 */
import { formatBytes } from '../../specs/bytes.ts';
import type { Row } from '../../specs/index.ts';
import { canonicalJson } from '../../specs/revision.ts';
import type { Resources } from '../../specs/workload.ts';
import type { ContainerState } from '../engine/engine.ts';
import { limitsOf } from './limits.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';

export interface Drift {
  /** In this order. That of the limits comes last: the engine may refuse it. */
  steps: Step[];
  /** What had drifted, in words. */
  found: string[];
  /** Its limits are to become others, because somebody asked for that. */
  isResize: boolean;
}

/** @param container of a replica that is wanted, and whose project has its network */
export function driftOf(row: Row<'Replica'>, container: ContainerState, observed: Observed): Drift {
  const { deployment, project } = observed;
  const none: Drift = { steps: [], found: [], isResize: false };
  if (!deployment || !project) return none;
  const network = networkDrift(row, container, project);
  const wanted = deployment.spec.workload.resources;
  const limits = limitDrift(container, wanted);
  // What is in force was put there by nobody else: then what is wanted has changed.
  const isResize =
    limits.length > 0 &&
    !container.selfRestarting &&
    canonicalJson(row.status.resources) !== canonicalJson(wanted);
  return {
    steps: [
      ...(container.paused ? [{ do: 'unpause' } as const] : []),
      ...network.steps,
      ...(limits.length > 0 ? [{ do: 'limit' } as const] : []),
    ],
    found: [
      ...(container.paused ? ['it was paused'] : []),
      ...network.found,
      ...(limits.length > 0 && !isResize ? [`its limits were changed (${limits.join(', ')})`] : []),
    ],
    isResize,
  };
}

type Part = Pick<Drift, 'steps' | 'found'>;

/** In its project's network, at its address, and in no other. */
function networkDrift(row: Row<'Replica'>, { networks }: ContainerState, { status }: Row<'Project'>): Part {
  const { network, network_name: name } = status;
  const own = networks.find((one) => one.name === name);
  const others = networks.filter((one) => one !== own);
  // The engine does not tell the id before the first start. Another one: of a network of that name which is gone.
  const isIn = own !== undefined && (own.id === '' || own.id === network);
  const isRight = isIn && own.address === row.spec.address;
  const leave = [...others, ...(own && !isRight ? [own] : [])];
  return {
    steps: [
      ...leave.map((one): Step => ({ do: 'disconnect', network: one.name })),
      ...(isRight ? [] : [{ do: 'connect' } as const]),
    ],
    found: [
      ...others.map((one) => `it was connected to the network ${one.name}`),
      ...(isIn ? [] : ["it was disconnected from its project's network"]),
      ...(isIn && !isRight ? ['its address was changed'] : []),
    ],
  };
}

/** Null is a limit that this engine cannot set: nobody can put it right. */
function limitDrift({ limits, selfRestarting }: ContainerState, resources: Resources): string[] {
  const wanted = limitsOf(resources);
  const found = selfRestarting ? ['the engine was to restart it by itself'] : [];
  if (limits.memoryBytes !== null && limits.memoryBytes !== wanted.memoryBytes)
    found.push(`memory ${formatBytes(limits.memoryBytes)} instead of ${resources.memory}`);
  if (limits.cpus !== null && Math.abs(limits.cpus - wanted.cpus) > 1e-9)
    found.push(`cpus ${limits.cpus} instead of ${wanted.cpus}`);
  if (limits.pids !== null && limits.pids !== wanted.pids)
    found.push(`pids ${limits.pids === Infinity ? 'unlimited' : limits.pids} instead of ${wanted.pids}`);
  return found;
}
