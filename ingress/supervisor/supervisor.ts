/** The Ingress port over real processes: starts, feeds and ends them. What to do with which process: fleet.ts, plan.ts. */
import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import type { Server } from 'node:net';
import type { Clock } from '../../specs/clock.ts';
import type { CertificatePair } from '../certificate-files.ts';
import type { Ingress, IngressOptions, WorkerState } from '../ingress.ts';
import { cannotListen } from '../protocol.ts';
import { controlSocket, ingressUser, prepareRunDir } from '../run-dir.ts';
import { readSnapshot, snapshotPath, writeSnapshot } from '../snapshot-file.ts';
import type { Snapshot } from '../snapshot.ts';
import type { TrafficTotals } from '../traffic.ts';
import { certificateStore, type CertificateStore } from './certificate-store.ts';
import { fillCompileCache } from './compile-cache.ts';
import { listenForMembers } from './control-server.ts';
import { Fleet } from './fleet.ts';
import { createLedger } from './ledger.ts';
import type { Limits } from './limits.ts';
import { migrateRequests } from './migrate-requests.ts';
import { assertFree } from './port-check.ts';
import type { Program } from './program.ts';
import { createRevisions, type Revisions } from './revisions.ts';
import { findSurvivors } from './survivors.ts';
import { rotateTickets, type Tickets } from './tickets.ts';

export interface SupervisorDeps {
  clock: Clock;
  limits: Limits;
  program: Program;
}

export class Supervisor implements Ingress {
  readonly #options: IngressOptions;
  readonly #deps: SupervisorDeps;
  readonly #revisions: Revisions;
  readonly #ledger = createLedger();
  readonly #fleet: Fleet;
  readonly #certificates: CertificateStore;
  /** While it runs. */
  #tickets: Tickets | undefined;
  /** Certificates that the next snapshot may name. */
  readonly #fresh = new Set<string>();
  /** Revision that unnamed certificates were last removed at. */
  #tidied = 0;
  readonly #listeners = new Set<() => void>();
  #server: Server | undefined;
  #writing: Promise<unknown> = Promise.resolve();
  /** Set while it starts. */
  #refused: ((error: Error) => void) | undefined;

  constructor(options: IngressOptions, deps: SupervisorDeps) {
    this.#options = options;
    this.#deps = deps;
    this.#revisions = createRevisions(savedSnapshot(options));
    this.#certificates = certificateStore(options.runDir, ingressUser());
    const saved = this.#revisions.latest();
    if (saved !== undefined) this.#ledger.publish(saved, deps.clock.now());
    this.#fleet = new Fleet(options, {
      ...deps,
      fingerprint: fingerprint(deps.program, options),
      revisions: this.#revisions,
      ledger: this.#ledger,
      ticketKeys: () => this.#tickets?.keys(),
      changed: () => this.#changed(),
      ended: (code, words) => {
        if (code === cannotListen) this.#refused?.(new Error(words.split('\n').at(-1)));
      },
    });
  }

  async start(): Promise<void> {
    const { stateDir, runDir, listen, listenTls = [], log } = this.#options;
    await prepareRunDir(runDir);
    await this.#certificates.prepare();
    await migrateRequests(log);
    const survivors = findSurvivors(runDir);
    if (!survivors.some(({ options }) => options.role === 'worker'))
      await assertFree([...listen, ...listenTls]);
    await fillCompileCache(stateDir, this.#deps.program);
    this.#fleet.take(survivors);
    this.#tickets = rotateTickets(this.#deps.clock, () => this.#fleet.sealAll());
    this.#server = await listenForMembers(runDir, (hello, channel) => this.#fleet.welcome(hello, channel));
    this.#fleet.reconcile();
    try {
      await this.#complete();
    } catch (error) {
      this.#tickets.stop();
      this.#fleet.abandon();
      this.#server.close();
      throw error;
    }
  }

  hasCertificate(id: string): boolean {
    const there = this.#certificates.has(id);
    if (there) this.#fresh.add(id);
    return there;
  }

  async installCertificate(id: string, pair: CertificatePair): Promise<void> {
    this.#fresh.add(id);
    await this.#certificates.install(id, pair);
  }

  publish(routes: Omit<Snapshot, 'revision'>): Promise<number> {
    // One at a time and in order, also when one fails.
    const done = this.#writing.then(() => this.#publish(routes));
    this.#writing = done.catch(() => undefined);
    return done;
  }

  applied(): Snapshot | undefined {
    return this.#revisions.appliedBy(this.#fleet.members());
  }

  isRouted(replicaId: string): boolean {
    return this.#revisions.isRouted(replicaId, this.#fleet.members('worker'));
  }

  isIdle(replicaId: string): boolean {
    return this.#revisions.isIdle(replicaId, this.#fleet.members('worker'));
  }

  workers(): WorkerState[] {
    const there = this.#fleet.members('worker').filter((member) => member.connected && !member.draining);
    return there.map(({ pid, revision, options: { slot } }) => ({ slot, pid, revision }));
  }

  traffic(): TrafficTotals {
    return this.#ledger.totals();
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#tickets?.stop();
    const drain = { idle_ms: 0, limit_ms: this.#deps.limits.closed };
    // Workers first: what they finish still needs the bridge.
    await this.#fleet.close('worker', drain);
    await this.#fleet.close('bridge', drain);
    await this.#writing;
    const server = this.#server;
    if (server === undefined) return;
    await new Promise((resolve) => server.close(resolve));
    await rm(controlSocket(this.#options.runDir), { force: true });
  }

  async #publish(routes: Omit<Snapshot, 'revision'>): Promise<number> {
    const snapshot = { ...routes, revision: this.#revisions.next() };
    // Used up even if the write fails half-way: a member may boot from what is on disk.
    this.#revisions.saw(snapshot.revision);
    await writeSnapshot(this.#options.stateDir, snapshot);
    this.#revisions.add(snapshot);
    this.#ledger.publish(snapshot, this.#deps.clock.now());
    this.#fresh.clear();
    this.#fleet.offerAll();
    this.#changed();
    return snapshot.revision;
  }

  /** Resolves once every slot has a process that listens. */
  async #complete(): Promise<void> {
    const { clock, limits } = this.#deps;
    let cancel: () => void = () => undefined;
    let unsubscribe: () => void = () => undefined;
    const there = new Promise<void>((resolve, reject) => {
      this.#refused = reject;
      const logs = this.#options.stateDir;
      cancel = clock.after(limits.start, () =>
        reject(new Error(`the ingress did not start; its logs in ${logs} say why`)),
      );
      const check = (): void => {
        if (this.#fleet.complete()) resolve();
      };
      unsubscribe = this.onChange(check);
      check();
    });
    try {
      await there;
    } finally {
      this.#refused = undefined;
      cancel();
      unsubscribe();
    }
  }

  /** Once for each revision that everybody serves. */
  #tidyCertificates(): void {
    const revision = this.applied()?.revision ?? 0;
    if (revision <= this.#tidied) return;
    this.#tidied = revision;
    const named = this.#revisions.certificates();
    const { log } = this.#options;
    this.#certificates
      .retain((id) => named.has(id) || this.#fresh.has(id))
      .catch((error: unknown) => log.warn({ error: String(error) }, 'unused certificates not removed'));
  }

  #changed(): void {
    this.#tidyCertificates();
    for (const listener of [...this.#listeners]) listener();
  }
}

function savedSnapshot({ stateDir, log }: IngressOptions): Snapshot | undefined {
  try {
    return readSnapshot(stateDir);
  } catch (error) {
    log.warn(
      { path: snapshotPath(stateDir), error: String(error) },
      'saved route set is unreadable; a new one follows',
    );
    return undefined;
  }
}

/** What a member must have been started with, or it is replaced. */
function fingerprint({ version }: Program, { listen, listenTls = [], stateDir }: IngressOptions): string {
  const settings = JSON.stringify([version, listen, listenTls, stateDir, ingressUser()?.uid ?? null]);
  return createHash('sha256').update(settings).digest('hex').slice(0, 16);
}
