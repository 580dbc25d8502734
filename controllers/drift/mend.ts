/** Puts right what was changed at a container by hand. Every step may be done twice. */
import { EngineError, type Engine } from '../engine/engine.ts';
import type { Mend, Wanted } from './drift.ts';
import { limitsOf } from './limits.ts';

export type MendEngine = Pick<
  Engine,
  'unpauseReplica' | 'connectReplica' | 'disconnectReplica' | 'renameReplica' | 'limitReplica'
>;

/** The engine does not give a container the limits that it is to have; it goes on with those that it has. */
export class LimitsRefusedError extends Error {
  override name = 'LimitsRefusedError';
}

/**
 * Throws LimitsRefusedError, and EngineError when the engine fails.
 * @param container its id
 */
export async function mend(step: Mend, container: string, wanted: Wanted, engine: MendEngine): Promise<void> {
  switch (step.do) {
    case 'unpause':
      return engine.unpauseReplica(container);
    case 'disconnect':
      return engine.disconnectReplica(container, step.network);
    case 'connect':
      return engine.connectReplica(container, { name: wanted.network.name, address: wanted.address });
    case 'rename':
      return rename(container, wanted, engine);
    case 'limit':
      return limit(container, wanted, engine);
  }
}

/** It is known by its id and its labels: that somebody else's container has its name meanwhile keeps nothing from going on. */
async function rename(container: string, { name }: Wanted, engine: MendEngine): Promise<void> {
  try {
    await engine.renameReplica(container, name);
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'conflict') throw error;
  }
}

async function limit(container: string, { resources }: Wanted, engine: MendEngine): Promise<void> {
  try {
    await engine.limitReplica(container, limitsOf(resources));
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'refused') throw error;
    throw new LimitsRefusedError(error.message, { cause: error });
  }
}
