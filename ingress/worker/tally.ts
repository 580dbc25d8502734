/** Keeps the figures of a worker, and knows which of them the control plane has not been told. Adds up; decides nothing. */
import {
  noServiceTraffic,
  noTraffic,
  type ServiceTraffic,
  type Traffic,
  type TrafficChanges,
} from '../traffic.ts';

/** Milliseconds that a replica or a service is remembered which no snapshot names any longer. */
export const forgetAfter = 10 * 60_000;

export interface Tally {
  /** Takes the figures to be changed. The same objects for as long as they are remembered: cheap to hold on to. */
  replica(id: string): Counted<Traffic>;
  service(id: string): Counted<ServiceTraffic>;
  /** Figures that changed since the last call; of everything when `all`. @returns undefined when there are none */
  changes(all: boolean): TrafficChanges | undefined;
  /** Forgets what has not been known for a while. To be called with every snapshot. */
  retain(known: { replica(id: string): boolean; service(id: string): boolean }): void;
}

export class Counted<Figures> {
  readonly id: string;
  readonly figures: Figures;
  changed = false;
  /** When it was first not known any longer. Milliseconds of `performance.now`. */
  left: number | undefined;
  readonly #first: () => void;

  constructor(id: string, figures: Figures, first: () => void) {
    this.id = id;
    this.figures = figures;
    this.#first = first;
  }

  /** To be called after every change of a figure. */
  touch(): void {
    if (this.changed) return;
    this.changed = true;
    this.#first();
  }
}

/** @param changed called when there is something new to tell, for the first time since the last */
export function createTally(changed: () => void): Tally {
  const replicas = new Map<string, Counted<Traffic>>();
  const services = new Map<string, Counted<ServiceTraffic>>();
  let told = true;
  const first = (): void => {
    if (!told) return;
    told = false;
    changed();
  };
  return {
    replica: (id) => find(replicas, id, () => new Counted(id, noTraffic(), first)),
    service: (id) => find(services, id, () => new Counted(id, noServiceTraffic(), first)),
    changes(all) {
      told = true;
      const changes = { replicas: take(replicas, all), services: take(services, all) };
      const none = Object.keys(changes.replicas).length + Object.keys(changes.services).length === 0;
      return none ? undefined : changes;
    },
    retain(known) {
      const now = performance.now();
      forget(replicas, now, (entry) => known.replica(entry.id) || entry.figures.open > 0);
      forget(services, now, (entry) => known.service(entry.id) || entry.figures.waiting > 0);
    },
  };
}

function find<Figures>(
  entries: Map<string, Counted<Figures>>,
  id: string,
  make: () => Counted<Figures>,
): Counted<Figures> {
  let entry = entries.get(id);
  if (entry === undefined) entries.set(id, (entry = make()));
  return entry;
}

function take<Figures>(entries: Map<string, Counted<Figures>>, all: boolean): Record<string, Figures> {
  const taken: Record<string, Figures> = {};
  for (const [id, entry] of entries) {
    if (all || entry.changed) taken[id] = entry.figures;
    entry.changed = false;
  }
  return taken;
}

function forget<Figures>(
  entries: Map<string, Counted<Figures>>,
  now: number,
  needed: (entry: Counted<Figures>) => boolean,
): void {
  for (const [id, entry] of entries) {
    entry.left = needed(entry) ? undefined : (entry.left ?? now);
    if (entry.left !== undefined && now - entry.left > forgetAfter) entries.delete(id);
  }
}
