/** The limits of a workload, as the engine takes them. Pure. */
import { quantityBytes } from '../../specs/quantity.ts';
import type { Resources } from '../../specs/workload.ts';
import type { ContainerLimits } from '../engine/engine.ts';

export function limitsOf({ memory, cpus, pids }: Resources): ContainerLimits {
  return { memoryBytes: quantityBytes(memory), cpus, pids };
}
