/** Finds the engine that the settings ask for, or starts one. */
import { access } from 'node:fs/promises';
import type { Clock } from '../../specs/clock.ts';
import type { Log } from '../runtime/log.ts';
import { connect } from './connect.ts';
import { DockerEngine } from './docker.ts';
import { candidates, parseEndpoint } from './endpoint.ts';
import { EngineError } from './engine.ts';
import { ManagedEngine } from './managed.ts';
import { findDockerd } from './managed/daemon.ts';
import { placeOf } from './managed/place.ts';

export interface OpenOptions {
  /** `SERVICE_ENGINE`: `unix://…`, `tcp://…`, `managed`; undefined: look for one. */
  setting: string | undefined;
  env: Readonly<Record<string, string | undefined>>;
  /** Where a private engine keeps its data and its socket. Absolute. */
  dataDir: string;
  runDir: string;
  clock: Clock;
  log: Log;
}

export interface OpenedEngine {
  engine: DockerEngine;
  /** Set when the engine is a private one. Released when the node stops; stopped only on request. */
  managed?: ManagedEngine;
}

/**
 * A configured endpoint is taken as it is, even if nothing answers there yet. Without one: the private engine if the node
 * has one already (its workloads are there), else the first that answers, else a private one where that can be had.
 * Rejects with `refused` for a setting that is no endpoint, with `unavailable` when there is no engine.
 */
export async function openEngine(options: OpenOptions): Promise<OpenedEngine> {
  const { setting, env, clock } = options;
  if (setting === 'managed' || (setting === undefined && (await hasPrivate(options))))
    return openManaged(options);
  if (setting !== undefined) {
    parseEndpoint(setting);
    return { engine: new DockerEngine({ endpoint: setting, clock }) };
  }
  const tried: EngineError[] = [];
  for (const endpoint of candidates(env)) {
    try {
      await connect(endpoint, clock);
      return { engine: new DockerEngine({ endpoint, clock }) };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      tried.push(error);
    }
  }
  if (process.getuid?.() === 0 && (await findDockerd()) !== undefined) return openManaged(options);
  throw new EngineError(
    'unavailable',
    `No container engine answers (tried ${candidates(env).join(', ')}): install Docker (apt-get install docker.io) or set SERVICE_ENGINE`,
    new AggregateError(tried),
  );
}

async function openManaged({ dataDir, runDir, clock, log }: OpenOptions): Promise<OpenedEngine> {
  const managed = new ManagedEngine({ dataDir, runDir, clock, log });
  await managed.start();
  return { engine: managed.engine, managed };
}

function hasPrivate({ dataDir, runDir }: OpenOptions): Promise<boolean> {
  return access(placeOf(dataDir, runDir).root).then(
    () => true,
    () => false,
  );
}
