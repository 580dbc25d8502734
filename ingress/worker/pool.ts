/** Connections to replicas that are kept for the next request: one pool per replica, gone with the replica. */
import { Agent, type ClientRequestArgs } from 'node:http';
import type { Upstream } from '../snapshot.ts';
import { openConnection, type Created } from './connection.ts';

/** Milliseconds. Below the 5 s after which Node's servers and others close an idle connection: ours must be first. */
const idleLimit = 4_000;

/** Idle connections kept per replica. */
const idleCount = 256;

export interface Pool {
  agent(replica: string, upstream: Upstream): Agent;
  /** Closes the idle connections of every replica that `upstream` does not give as it was. Others go on to their end. */
  retain(upstream: (replica: string) => Upstream | undefined): void;
}

export function createPool(): Pool {
  const agents = new Map<string, ReplicaAgent>();
  return {
    agent(replica, upstream) {
      const known = agents.get(replica);
      if (known?.reaches(upstream) === true) return known;
      known?.retire();
      const agent = new ReplicaAgent(upstream);
      agents.set(replica, agent);
      return agent;
    },
    retain(upstream) {
      for (const [replica, agent] of agents) {
        if (agent.reaches(upstream(replica))) continue;
        agent.retire();
        agents.delete(replica);
      }
    },
  };
}

class ReplicaAgent extends Agent {
  readonly #upstream: Upstream;

  constructor(upstream: Upstream) {
    super({ keepAlive: true, timeout: idleLimit, maxFreeSockets: idleCount });
    this.#upstream = upstream;
  }

  reaches(upstream: Upstream | undefined): boolean {
    return upstream?.socket === this.#upstream.socket && upstream.via === this.#upstream.via;
  }

  retire(): void {
    // From now on none is kept.
    this.maxFreeSockets = 0;
    for (const sockets of Object.values(this.freeSockets))
      for (const socket of [...(sockets ?? [])]) socket.destroy();
  }

  override createConnection(_options: ClientRequestArgs, created?: Created): undefined {
    openConnection(this.#upstream, created);
  }

  /** One pool: there is one place that it connects to. */
  override getName(): string {
    return '';
  }
}
