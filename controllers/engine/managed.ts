/**
 * A private dockerd for a node that has no engine: started apart from us, so that the end of the control plane, however
 * it comes, leaves it and its workloads running; adopted by the next control plane; started again when it dies. Lives
 * beside any other engine of the host without touching it (managed/firewall.ts, managed/bridge.ts). Needs root.
 *
 *   start() ──▶ runs ──(dies)──▶ backoff ──▶ starts ──▶ runs      release(): stop watching · stop(): end it
 */
import { rm } from 'node:fs/promises';
import type { Clock } from '../../specs/clock.ts';
import type { Log } from '../runtime/log.ts';
import { connect } from './connect.ts';
import { DockerEngine } from './docker.ts';
import { EngineError } from './engine.ts';
import { ensureBridge, removeBridges } from './managed/bridge.ts';
import { removeCgroups } from './managed/cgroups.ts';
import { findRunning, isOurs, launch } from './managed/daemon.ts';
import { drop, raise } from './managed/firewall.ts';
import { placeOf, type Place } from './managed/place.ts';
import { succeeds } from './managed/run.ts';

/** Milliseconds. */
const times = {
  /** Between two looks whether it still runs. */
  look: 1_000,
  /** Between two tries to reach it while it starts. */
  try: 100,
  /** A start may take this long: it looks at every container it has. */
  start: 120_000,
  /** First wait before it is started again; doubles up to the last one. */
  firstBackoff: 1_000,
  lastBackoff: 30_000,
  /** Ran this long: the next death is the first again. */
  healthy: 60_000,
  /** From SIGTERM to SIGKILL. */
  end: 30_000,
  /** For workloads, when it is to end. */
  grace: 10_000,
} as const;

export interface ManagedEngineOptions {
  /** Absolute; images and containers are kept here. */
  dataDir: string;
  /** Absolute and short; holds its socket. */
  runDir: string;
  clock: Clock;
  log: Log;
}

export class ManagedEngine {
  readonly engine: DockerEngine;
  readonly place: Place;
  private readonly clock: Clock;
  private readonly log: Log;
  private pid = 0;
  private startedAt = 0;
  private deaths = 0;
  private cancel: () => void = () => undefined;
  private watching = false;
  private looking: Promise<void> = Promise.resolve();

  constructor({ dataDir, runDir, clock, log }: ManagedEngineOptions) {
    this.place = placeOf(dataDir, runDir);
    this.clock = clock;
    this.log = log;
    this.engine = new DockerEngine({ endpoint: this.place.endpoint, clock });
  }

  /** Adopts it if it runs, else starts it. Resolves when it answers; rejects with `unavailable` when it does not. */
  async start(): Promise<void> {
    if (process.getuid?.() !== 0)
      throw new EngineError(
        'unavailable',
        'Only root can run an engine of its own: set SERVICE_ENGINE to one that runs',
      );
    await this.bringUp();
    this.watching = true;
    this.watch();
  }

  /** Stops watching it; it goes on. */
  release(): void {
    this.watching = false;
    this.cancel();
  }

  /** Stops its workloads, ends it and takes its interfaces, cgroups and firewall rules away. Its data stays. */
  async stop(): Promise<void> {
    this.release();
    await this.looking;
    const pid = await findRunning(this.place);
    if (pid !== undefined) {
      await this.stopWorkloads();
      process.kill(pid, 'SIGTERM');
      if (!(await this.hasEnded(pid, times.end))) process.kill(pid, 'SIGKILL');
      await this.hasEnded(pid, times.end);
    }
    // dockerd binds its root to itself, and leaves that behind when it found the mount of a predecessor that was killed.
    while (await succeeds('umount', [this.place.root]));
    await removeBridges(this.place);
    await drop(this.place);
    await removeCgroups(this.place.cgroupParent);
    await rm(this.place.socket, { force: true });
  }

  private async bringUp(): Promise<void> {
    // First, so that nothing ever runs without it.
    await raise(this.place);
    const running = await findRunning(this.place);
    if (running === undefined) await ensureBridge(this.place);
    this.pid = running ?? (await launch(this.place));
    this.startedAt = this.clock.now();
    this.log.info({ pid: this.pid, adopted: running !== undefined }, 'private engine');
    await this.untilItAnswers();
  }

  private async untilItAnswers(): Promise<void> {
    let waited = 0;
    for (;;) {
      const failure = await connect(this.place.endpoint, this.clock).then(
        () => undefined,
        (error: unknown) => error,
      );
      if (failure === undefined) return;
      if (!(await isOurs(this.place, this.pid)))
        throw new EngineError(
          'unavailable',
          `dockerd ended while it started: see ${this.place.logFile}`,
          failure,
        );
      if (waited >= times.start)
        throw new EngineError(
          'unavailable',
          `dockerd runs and does not answer: see ${this.place.logFile}`,
          failure,
        );
      await this.pause(times.try);
      waited += times.try;
    }
  }

  private watch(): void {
    if (!this.watching) return;
    this.cancel = this.clock.after(times.look, () => {
      this.looking = this.look().then(() => this.watch());
    });
  }

  private async look(): Promise<void> {
    if (await isOurs(this.place, this.pid)) {
      if (this.clock.now() - this.startedAt >= times.healthy) this.deaths = 0;
      return;
    }
    if (this.clock.now() - this.startedAt < this.backoff()) return;
    this.deaths++;
    this.log.warn(
      { deaths: this.deaths, file: this.place.logFile },
      'the private engine died: starting it again',
    );
    await this.bringUp().catch((error: unknown) =>
      this.log.error({ err: error }, 'the private engine does not start'),
    );
  }

  /** How long after a start the next one may come. */
  private backoff(): number {
    return this.deaths === 0 ? 0 : Math.min(times.firstBackoff * 2 ** (this.deaths - 1), times.lastBackoff);
  }

  private async stopWorkloads(): Promise<void> {
    const containers = await this.engine.listReplicas({});
    await Promise.all(containers.map(({ id }) => this.engine.stopReplica(id, times.grace)));
  }

  private async hasEnded(pid: number, ms: number): Promise<boolean> {
    for (let waited = 0; waited < ms; waited += times.try) {
      if (!(await isOurs(this.place, pid))) return true;
      await this.pause(times.try);
    }
    return false;
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.clock.after(ms, resolve));
  }
}
