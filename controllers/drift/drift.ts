/**
 * What somebody changed at a container by hand, and what puts it right while it goes on running: whether it is frozen, what
 * it is connected to, what it is called, and what limits it. The rest of a container cannot be changed at the engine. Pure.
 */
import { formatBytes } from '../../specs/bytes.ts';
import type { Resources } from '../../specs/workload.ts';
import type { ContainerState } from '../engine/engine.ts';
import { limitsOf } from './limits.ts';

/** What it is to be. */
export interface Wanted {
  name: string;
  /** Of its project: its name at the engine, and its id there. */
  network: { name: string; id: string };
  address: string;
  resources: Resources;
}

export type Mend =
  | { do: 'unpause' }
  | { do: 'disconnect'; network: string }
  | { do: 'connect' }
  | { do: 'rename' }
  /** The engine may refuse it: to be done last. */
  | { do: 'limit' };

export interface Drift {
  /** In this order; without that of the limits. */
  steps: Exclude<Mend, { do: 'limit' }>[];
  /** What had drifted, in words; without the limits. */
  found: string[];
  /** Limits that are others than they are to be. */
  limits: string[];
  /** What else was set at it: `limit` undoes the first, only another container the second. */
  tuned: string[];
  lasting: string[];
}

export function driftOf(container: ContainerState, wanted: Wanted): Drift {
  const network = networkDrift(container, wanted);
  const isRenamed = container.name !== wanted.name;
  const words = (lasting: boolean): string[] =>
    container.tunings.filter((tuning) => tuning.lasting === lasting).map((tuning) => tuning.words);
  return {
    steps: [
      ...(container.paused ? [{ do: 'unpause' } as const] : []),
      ...network.steps,
      ...(isRenamed ? [{ do: 'rename' } as const] : []),
    ],
    found: [
      ...(container.paused ? ['it was paused'] : []),
      ...network.found,
      ...(isRenamed ? ['its container was renamed'] : []),
    ],
    limits: limitDrift(container, wanted.resources),
    tuned: [...(container.selfRestarting ? ['the engine was to restart it by itself'] : []), ...words(false)],
    lasting: words(true),
  };
}

/** In its project's network, at its address, and in no other. */
function networkDrift(
  { networks }: ContainerState,
  { network, address }: Wanted,
): Pick<Drift, 'steps' | 'found'> {
  const own = networks.find((one) => one.name === network.name);
  const others = networks.filter((one) => one !== own);
  // The engine does not tell the id before the first start. Another one: of a network of that name which is gone.
  const isIn = own !== undefined && (own.id === '' || own.id === network.id);
  const isRight = isIn && own.address === address;
  const leave = [...others, ...(own && !isRight ? [own] : [])];
  return {
    steps: [
      ...leave.map((one) => ({ do: 'disconnect', network: one.name }) as const),
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
function limitDrift({ limits }: ContainerState, resources: Resources): string[] {
  const wanted = limitsOf(resources);
  const found: string[] = [];
  if (limits.memoryBytes !== null && limits.memoryBytes !== wanted.memoryBytes)
    found.push(`memory ${formatBytes(limits.memoryBytes)} instead of ${resources.memory}`);
  if (limits.cpus !== null && Math.abs(limits.cpus - wanted.cpus) > 1e-9)
    found.push(`cpus ${limits.cpus} instead of ${wanted.cpus}`);
  if (limits.pids !== null && limits.pids !== wanted.pids)
    found.push(`pids ${limits.pids === Infinity ? 'unlimited' : limits.pids} instead of ${wanted.pids}`);
  return found;
}
