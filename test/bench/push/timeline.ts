/** Where the time of one push went, from what can be seen from outside. Pure. */
import type { DeploymentLogStatus } from '../../../specs/log-entry.ts';
import type { EngineEvent } from './engine-events.ts';

export interface Request {
  /** `GET /v1/services` */
  what: string;
  began: number;
  ended: number;
}

/** All times in milliseconds since the epoch. */
export interface Facts {
  /** The process, from its spawn to its exit. */
  began: number;
  ended: number;
  /** The ingress has answered. */
  served: number;
  requests: readonly Request[];
  statuses: readonly DeploymentLogStatus[];
  events: readonly EngineEvent[];
}

export interface Phase {
  name: string;
  ms: number;
}

/** The phases, one after the other, without a gap: each ends where the next begins. One that cannot be seen is 0 long. */
export function phasesOf(facts: Facts): Phase[] {
  const { requests, statuses, events } = facts;
  const request = (what: RegExp): Request | undefined => requests.find((found) => what.test(found.what));
  const status = (test: (found: DeploymentLogStatus) => boolean): number | undefined => {
    const found = statuses.find(test);
    return found && Date.parse(found.at);
  };
  const event = (what: string): number | undefined => events.find((found) => found.what === what)?.at;
  const ends: [name: string, at: number | undefined][] = [
    ['CLI starts', request(/^GET .*\/services$/)?.began],
    ['service is looked up', request(/^GET .*\/services$/)?.ended],
    ['pack', request(/uploads$/)?.began],
    ['upload', request(/uploads$/)?.ended],
    ['deployment is written', request(/^POST .*\/deployments$/)?.ended],
    ['queue', status((found) => found.status === 'Building' || found.status === 'Pending')],
    ['build at the engine', event('image tag')],
    ['image is looked up', status((found) => found.status === 'Starting')],
    ['replica and container are created', event('container create')],
    ['container starts', event('container start')],
    ['first good probe', status((found) => found.reason === 'WaitingForRoute')],
    ['promote, every worker acknowledges', status((found) => found.reason === 'Promoted')],
    ['log stream ends', request(/logs\/stream$/)?.ended],
    ['CLI ends', facts.ended],
    ['answer through the ingress', facts.served],
  ];
  let at = facts.began;
  return ends.map(([name, seen = at]) => {
    // What overlaps with the phase before it counts as that.
    const end = Math.max(seen, at);
    const ms = end - at;
    at = end;
    return { name, ms };
  });
}
