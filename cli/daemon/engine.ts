/** The node's engine, and where a private one keeps its things: with those of the node. */
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from '../../controllers/engine/engine.ts';
import { ManagedEngine } from '../../controllers/engine/managed.ts';
import { openEngine } from '../../controllers/engine/open.ts';
import type { Log } from '../../controllers/runtime/log.ts';
import type { Clock } from '../../specs/clock.ts';

export interface NodePlace {
  dataDir: string;
  runDir: string;
  clock: Clock;
  log: Log;
}

export interface ChosenEngine {
  engine: Engine;
  endpoint: string;
  /** Whether it is this node's alone. */
  isPrivate: boolean;
  /** Lets go of it. A private engine runs on: its workloads must not notice that the control plane is gone. */
  release(): void;
}

/** @param setting SERVICE_ENGINE: an endpoint, `managed`, or undefined: look for one */
export async function chooseEngine(place: NodePlace, setting: string | undefined): Promise<ChosenEngine> {
  const directories = engineDirectories(place);
  await mkdir(directories.dataDir, { recursive: true, mode: 0o700 });
  await mkdir(directories.runDir, { recursive: true, mode: 0o700 });
  const { clock, log } = place;
  const { engine, managed } = await openEngine({ setting, env: process.env, ...directories, clock, log });
  return {
    engine,
    endpoint: engine.endpoint,
    isPrivate: managed !== undefined,
    release: () => managed?.release(),
  };
}

/** The private engine of a node; it need not run. */
export function managedEngine(place: NodePlace): ManagedEngine {
  return new ManagedEngine({ ...engineDirectories(place), clock: place.clock, log: place.log });
}

function engineDirectories({ dataDir, runDir }: NodePlace): { dataDir: string; runDir: string } {
  return { dataDir: join(dataDir, 'engine'), runDir: join(runDir, 'engine') };
}
