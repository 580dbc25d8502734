/**
 * A simulated node: everything that outlives a control plane (store, engine, data plane, staged uploads, time), and one
 * control plane at a time, which is the real one. A world depends on its seed and on what is done to it, nothing else.
 */
import type { Writable } from 'node:stream';
import { idMaker } from '../../api/ids.ts';
import type { ApiContext } from '../../api/context.ts';
import type { OpenStore } from '../../api/store/open.ts';
import { FakeEngine } from '../support/fake-engine.ts';
import { FakeIngress } from '../support/fake-ingress.ts';
import { memoryStore } from '../support/store.ts';
import { startControlPlane, type ControlPlane, type Sabotage } from './control-plane.ts';
import { diceOf, type Dice } from './dice.ts';
import { Invariants } from './invariants.ts';
import { LateStarts } from './late-starts.ts';
import { Disk } from './disk.ts';
import { Ledger } from './ledger.ts';
import { Secrets } from './secrets.ts';
import { Tenants } from './tenants.ts';
import { Truth } from './truth.ts';
import { WorldClock } from './world-clock.ts';

export interface WorldOptions {
  seed: number;
  /** Breaks a part, so that an invariant is seen to fail. */
  sabotage?: Sabotage;
  /** Where to write what the control plane logs, for somebody who looks into a failure. */
  trace?: Writable | undefined;
}

export class World {
  readonly clock: WorldClock;
  readonly dice: Dice;
  readonly engine: FakeEngine;
  readonly truth: Truth;
  readonly ingress: FakeIngress;
  readonly store: OpenStore;
  readonly invariants: Invariants;
  readonly lateStarts: LateStarts;
  readonly ledger: Ledger;
  readonly tenants: Tenants;
  readonly secrets: Secrets;
  readonly disk = new Disk();
  /** Milliseconds without a control plane so far, and by how much the clock was set back. */
  lost = 0;
  api: Pick<ApiContext, 'store' | 'newId' | 'settings'>;
  readonly #options: WorldOptions;
  #controlPlane: ControlPlane | undefined;
  #engineThere = new AbortController();

  private constructor(options: WorldOptions, clock: WorldClock, store: OpenStore) {
    const { seed } = options;
    this.#options = options;
    this.clock = clock;
    this.store = store;
    const dice = (this.dice = diceOf(seed ^ 0x5eed));
    this.engine = new FakeEngine(clock);
    this.truth = new Truth(this.engine, () => clock.now());
    this.ingress = new FakeIngress(clock, {
      write: () => dice.whole(1, 10),
      acknowledge: () => (dice.chance(0.9) ? dice.whole(1, 30) : dice.whole(30, 3_000)),
      request: () => (dice.chance(0.6) ? 0 : dice.whole(1, 60_000)),
      boot: () => dice.whole(50, 500),
    });
    this.secrets = new Secrets(store);
    this.invariants = new Invariants(this);
    this.lateStarts = new LateStarts(this);
    this.api = this.#newApi();
    this.tenants = new Tenants(this);
    this.ledger = new Ledger(store, this.tenants.deletedServices);
  }

  /** A world in which the services were created and the control plane runs. */
  static async begin(options: WorldOptions): Promise<World> {
    const clock = new WorldClock();
    const world = new World(options, clock, await memoryStore([], clock));
    await world.tenants.begin();
    await world.startControlPlane();
    return world;
  }

  async startControlPlane(): Promise<void> {
    this.api = this.#newApi();
    const { sabotage = {}, trace } = this.#options;
    this.#controlPlane = await startControlPlane(this, sabotage, trace);
    await this.clock.advance(0);
  }

  /** Its process is killed: nothing of it goes on, and nothing is said. */
  killControlPlane(): void {
    this.#controlPlane?.life.end();
    this.#controlPlane = undefined;
    this.ingress.detach();
  }

  /** It is stopped in good order, which may take it a while. */
  async stopControlPlane(): Promise<void> {
    const stopped = new AbortController();
    void this.#controlPlane?.stop().then(() => stopped.abort());
    for (let waited = 0; !stopped.signal.aborted && waited < 60; waited++) await this.clock.advance(1_000);
    if (!stopped.signal.aborted) this.invariants.violations.push('(8) the control plane does not stop');
    this.killControlPlane();
  }

  /** Ids, in the order of the slots. */
  get services(): string[] {
    return this.tenants.services;
  }

  get engineThere(): AbortSignal | undefined {
    return this.#engineThere.signal.aborted ? undefined : this.#engineThere.signal;
  }

  engineGoes(): void {
    this.#engineThere.abort();
    this.lateStarts.forget();
    this.engine.down();
  }

  engineComes(): void {
    if (!this.#engineThere.signal.aborted) return;
    this.#engineThere = new AbortController();
    this.engine.up();
  }

  async end(): Promise<void> {
    this.killControlPlane();
    await this.store.close();
  }

  /** A control plane's own, as its process has it. */
  #newApi(): World['api'] {
    const settings = {
      ...{ controlDomain: null, appsDomain: 'localhost', publicHttpPort: 80, version: '0' },
      ...{ publicHttpsPort: null, acmeEnabled: false, challengePort: 80 },
      ...{ sessionIdleMs: 1, sessionMaxMs: 1, auditKeepMs: 1, hostPaths: [] },
    };
    return { store: this.store, newId: idMaker(this.clock, this.dice.bytes), settings };
  }
}
