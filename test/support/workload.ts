/** Workloads for tests on a real engine: a busybox script each, on a network of their own. */
import { randomBytes } from 'node:crypto';
import type { Readable } from 'node:stream';
import assert from 'node:assert/strict';
import type { DockerEngine } from '../../controllers/engine/docker.ts';
import type { ReplicaContainer } from '../../controllers/engine/engine.ts';
import { contextOf } from './build-context.ts';
import { eventually } from './eventually.ts';

export class Workloads {
  readonly labels: Readonly<Record<string, string>>;
  private readonly engine: DockerEngine;
  private readonly unique = `w${randomBytes(4).toString('hex')}`;
  private readonly networks: string[] = [];
  private readonly images: string[] = [];
  private readonly second = 100 + ((randomBytes(1)[0] ?? 0) % 88);
  private readonly third = randomBytes(1)[0] ?? 0;

  constructor(engine: DockerEngine) {
    this.engine = engine;
    this.labels = { 'svc.node': this.unique };
  }

  /** A build context of nothing but this Dockerfile. */
  static context(dockerfile: string): Readable {
    return contextOf({ Dockerfile: dockerfile });
  }

  /** A network. @returns its name and its addresses without the last octet */
  async network(): Promise<{ name: string; range: string }> {
    const index = this.networks.length;
    const name = `svc-${this.unique}-${index}`;
    const range = `10.${this.second + index}.${this.third}`;
    this.networks.push(
      await this.engine.ensureNetwork({ name, subnet: `${range}.0/24`, labels: this.labels }),
    );
    return { name, range };
  }

  /** A container that runs this script, not yet started. @returns its id */
  async create(
    script: string,
    network: ReplicaContainer['network'],
    changes: Partial<ReplicaContainer> = {},
  ): Promise<string> {
    const tag = `svc/${this.unique}:${this.images.length}`;
    const image = await this.engine.build({
      context: Workloads.context(`FROM busybox\nCMD ${JSON.stringify(['sh', '-c', script])}\n`),
      dockerfile: 'Dockerfile',
      tag,
      labels: this.labels,
      cacheScope: this.unique,
      limits: { memoryBytes: 64 * 2 ** 20, cpus: 1 },
      onLine: () => undefined,
      signal: new AbortController().signal,
    });
    this.images.push(tag);
    return this.engine.createReplica({
      name: `${this.unique}-${this.images.length}`,
      image,
      env: {},
      labels: this.labels,
      network,
      limits: { memoryBytes: 64 * 2 ** 20, cpus: 0.5, pids: 64 },
      mounts: [],
      ...changes,
    });
  }

  async start(...create: Parameters<Workloads['create']>): Promise<string> {
    const id = await this.create(...create);
    await this.engine.startReplica(id);
    return id;
  }

  /** A server that says hello on port 8080, once it does. @returns its id */
  async serve(place: ReplicaContainer['network']): Promise<string> {
    const probe = 'nc -w 1 127.0.0.1 8080 </dev/null >/dev/null 2>&1';
    const script = `nc -ll -p 8080 -e echo hello & until ${probe}; do sleep 0.05; done; echo ready; wait`;
    const id = await this.start(script, place);
    await eventually(async () => (await this.printed(id)).includes('ready'));
    return id;
  }

  /** Runs a script to its end. @returns what it printed, by line; fails when it ends with another code than 0 */
  async run(...create: Parameters<Workloads['create']>): Promise<string[]> {
    const id = await this.start(...create);
    await eventually(async () => (await this.engine.inspectReplica(id))?.state === 'exited');
    const printed = await this.printed(id);
    const state = await this.engine.inspectReplica(id);
    assert.equal(state?.exit?.code, 0, printed.join('\n'));
    return printed;
  }

  async printed(id: string): Promise<string[]> {
    const { signal } = new AbortController();
    return Array.fromAsync(this.engine.replicaLogs(id, { follow: false, signal }), ({ line }) => line);
  }

  /** Removes everything that it made. */
  async close(): Promise<void> {
    for (const { id } of await this.engine.listReplicas(this.labels)) await this.engine.removeReplica(id);
    for (const id of this.networks) await this.engine.removeNetwork(id);
    for (const tag of this.images) await this.engine.removeImage(tag);
  }
}
