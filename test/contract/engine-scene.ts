/** Where the contract of the engine is played: a network, containers one after the other, and time that passes. */
import assert from 'node:assert/strict';
import type { Readable } from 'node:stream';
import {
  EngineError,
  type ContainerState,
  type Engine,
  type EngineErrorCode,
  type Labels,
  type NetworkSpec,
  type ReplicaContainer,
} from '../../controllers/engine/engine.ts';
import type { EngineLogLine } from '../../controllers/engine/output.ts';
import type { Program } from '../support/fake-container.ts';

/** What a build does: prints a line, then goes on for ever, fails with a code, or succeeds. */
export interface Steps {
  prints: string;
  exits?: number;
  hangs?: true;
}

/** A registry that the engine can ask. */
export interface SceneRegistry {
  /** `host:port` */
  server: string;
  /** Puts an image whose containers behave like this under a name. @returns `repository@sha256:…` */
  publish: (name: string, program: Program) => Promise<string>;
}

/** What differs between engines. */
export interface EngineWorld {
  engine: Engine;
  /** Apart from everything else at the engine. Lower-case letters and digits. */
  unique: string;
  /** IPv4 range, free at the engine, without its last octet: `10.1.2`. */
  range: string;
  /** An image whose containers behave like this. @returns its id */
  image: (program: Program) => Promise<string>;
  /** Prepares a build of this tag. @returns its context; the Dockerfile in it is called Dockerfile */
  prepare: (tag: string, steps: Steps) => Promise<Readable>;
  registry: SceneRegistry;
  /** Wants to know who asks. */
  guarded: SceneRegistry & { username: string; password: string };
  /** A server that is none. */
  nobody: string;
  /** Somebody pauses a container by hand. */
  pause: (id: string) => Promise<void>;
  /** Somebody sets something at a container that svc never sets, and that can be undone or not. */
  tune: (id: string, lasting: boolean) => Promise<void>;
  /** Lets a little time pass. */
  tick: () => Promise<void>;
  close: () => Promise<void>;
}

export class Scene {
  readonly world: EngineWorld;
  readonly engine: Engine;
  readonly unique: string;
  readonly range: string;
  private serial = 0;

  constructor(world: EngineWorld) {
    this.world = world;
    this.engine = world.engine;
    this.unique = world.unique;
    this.range = world.range;
  }

  async close(): Promise<void> {
    for (const { id } of await this.engine.listReplicas(this.node())) await this.engine.removeReplica(id);
    const networks = await this.engine.listNetworks();
    for (const { id, labels } of networks)
      if (labels['svc.node'] === this.unique) await this.engine.removeNetwork(id);
    await this.world.close();
  }

  /** Labels that everything here carries. */
  node(): Labels {
    return { 'svc.node': this.unique };
  }

  network(): NetworkSpec {
    return { name: `svc-${this.unique}`, subnet: `${this.range}.0/24`, labels: this.node() };
  }

  /** Passes time until `check` gives something. */
  async until<T>(check: () => T | undefined | Promise<T | undefined>): Promise<T> {
    for (let tries = 0; tries < 600; tries++) {
      const found = await check();
      if (found !== undefined) return found;
      await this.world.tick();
    }
    throw new Error('it did not come about');
  }

  /** Passes time until a call settles. */
  async settled<T>(call: Promise<T>): Promise<T> {
    let done: true | undefined;
    const mark = (): void => void (done = true);
    call.then(mark, mark);
    await this.until(() => done);
    return call;
  }

  state(id: string, wanted: ContainerState['state']): Promise<ContainerState> {
    return this.until(async () => {
      const found = await this.engine.inspectReplica(id);
      return found?.state === wanted ? found : undefined;
    });
  }

  /** A container with a name and an address of its own. */
  spec(image: string, changes: Partial<ReplicaContainer> = {}): ReplicaContainer {
    const serial = ++this.serial;
    return {
      name: `${this.unique}-${serial}`,
      image,
      env: { GREETING: 'hello' },
      labels: { ...this.node(), 'svc.replica': `rep_${serial}` },
      network: { name: this.network().name, address: `${this.range}.${serial + 1}` },
      limits: { memoryBytes: 32 * 2 ** 20, cpus: 0.5, pids: 64 },
      mounts: [],
      ...changes,
    };
  }

  /** @returns the id of a container that was started with this program */
  async started(program: Program): Promise<string> {
    const id = await this.engine.createReplica(this.spec(await this.world.image(program)));
    await this.engine.startReplica(id);
    return id;
  }

  /** Starts a build. @returns its lines so far and the image it will give */
  async build(
    tag: string,
    steps: Steps,
    { signal, context }: { signal?: AbortSignal; context?: Readable } = {},
  ) {
    const lines: string[] = [];
    const image = this.engine.build({
      context: context ?? (await this.world.prepare(tag, steps)),
      dockerfile: 'Dockerfile',
      tag,
      labels: this.node(),
      cacheScope: this.unique,
      limits: { memoryBytes: 64 * 2 ** 20, cpus: 1 },
      onLine: ({ line }) => void lines.push(line),
      signal: signal ?? new AbortController().signal,
    });
    // The test looks at it later; until then it must not count as unhandled.
    image.catch(() => undefined);
    return { lines, image };
  }

  firstLine(id: string): Promise<EngineLogLine> {
    return this.until(async () => (await this.read(id))[0]);
  }

  async read(id: string, since?: string, follow = false): Promise<EngineLogLine[]> {
    const { signal } = new AbortController();
    const from = since === undefined ? {} : { since };
    return Array.fromAsync(this.engine.replicaLogs(id, { ...from, follow, signal }));
  }
}

export async function rejectsWith(code: EngineErrorCode, call: Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error: unknown) => {
    assert.ok(error instanceof EngineError, String(error));
    assert.equal(error.code, code, error.message);
    assert.notEqual(error.message, '');
    return true;
  });
}
