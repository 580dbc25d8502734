/**
 * A store in memory, and rows to put into it. The rows of all builders belong together: aReplica() is one of
 * aDeployment(), of aService(), of aProject().
 */
import { randomBytes } from 'node:crypto';
import { openStore, type OpenStore, type StoreOptions } from '../../api/store/open.ts';
import type { Store } from '../../api/store/store.ts';
import { uncertified } from '../../specs/certificate.ts';
import type { Clock } from '../../specs/clock.ts';
import { unverified } from '../../specs/domain.ts';
import type { Release } from '../../specs/service.ts';
import type { Kind, Kinds, Row } from '../../specs/index.ts';
import { runAskedFor } from '../../specs/job.ts';
import { newId, timestamp, type IdKind } from '../../specs/meta.ts';
import { ManualClock } from './manual-clock.ts';
import { recordingLog } from './recording-log.ts';

/** A store in memory, unless the options say otherwise. */
export function aStore(options: Partial<StoreOptions> = {}): Promise<OpenStore> {
  const [clock, log, nodeKeys] = [new ManualClock(), recordingLog(), [aNodeKey()]];
  return openStore({ file: ':memory:', clock, random: randomBytes, log, nodeKeys, ...options });
}

/** A store that is gone when it is closed, with these rows in it (as `given` puts them there). */
export async function memoryStore(
  rows: readonly Row<Kind>[] = [],
  clock: Clock = new ManualClock(),
): Promise<OpenStore> {
  const store = await aStore({ clock });
  await given(store, ...rows);
  return store;
}

/**
 * Puts rows into a store as if the API and controllers had: generation 1, and observed where the row has
 * `observed_generation` 1.
 */
export async function given(store: Store, ...rows: readonly Row<Kind>[]): Promise<void> {
  await store.write(async (writer) => {
    for (const row of rows) await writer.create(row.kind, row);
  });
  for (const row of rows) {
    if (row.observed_generation > 0) await store.patchStatus(row.kind, row.id, row.observed_generation, {});
    if (row.deleted_at !== null) await store.write((writer) => writer.markDeleted(row.kind, row.id));
  }
}

/** The n-th node key: always the same. */
export function aNodeKey(n = 1): Buffer {
  return Buffer.alloc(32, n);
}

/** The n-th id of a kind: always the same, and sorted by n. */
export function anId(kind: IdKind, n = 1): string {
  return newId(kind, Date.UTC(2030, 0, 1) + n, new Uint8Array(10));
}

/** What a test says about a row: any of its fields, and any fields of its two halves. */
export type Said<K extends Kind> = Partial<Omit<Row<K>, 'kind' | keyof Kinds[K]>> & {
  [Half in keyof Kinds[K]]?: Partial<Kinds[K][Half]>;
};

function aRow<K extends Kind>(
  kind: K,
  identity: Pick<Row<K>, 'id' | 'name' | 'owner'>,
  halves: Kinds[K],
  { spec, status, ...fields }: Said<K>,
): Row<K> {
  const at = timestamp(Date.UTC(2030, 0, 1));
  const counters = { generation: 1, observed_generation: 0, version: 1 };
  const times = { created_at: at, updated_at: at, deleted_at: null };
  const row = { kind, ...identity, ...counters, ...times, ...fields };
  return { ...row, spec: { ...halves.spec, ...spec }, status: { ...halves.status, ...status } };
}

export function aProject(said: Said<'Project'> = {}): Row<'Project'> {
  const network = { subnet: '10.210.0.0/24', network: 'network-1', network_name: 'svc-node-shop' };
  const status = { ...network, conditions: [] };
  return aRow('Project', { id: anId('project'), name: 'shop', owner: null }, { spec: {}, status }, said);
}

const workload = {
  port: 8080,
  listen: 'tcp',
  health: { path: '/', interval: '1s', timeout: '5s', deadline: '2m', successes: 1 },
  env: {},
  secrets: {},
  resources: { cpus: 1, memory: '512Mi', pids: 512 },
} as const;

/** Nothing is taken back by itself, so that what is replaced goes at once. */
export const releaseDefaults: Release = {
  ...{ drain: '30s', keep: 5, strategy: 'rolling', surge: 4, auto_rollback: false, bake: '60s' },
};

export function aService(said: Said<'Service'> = {}): Row<'Service'> {
  const spec = {
    ...workload,
    replicas: 1,
    tls_enabled: false,
    release: releaseDefaults,
    rollout: { target: null, running: true, epoch: 0, configured: null },
  };
  const status = { promoted: null, previous: null, bake: null, parked_since: null, conditions: [] };
  return aRow(
    'Service',
    { id: anId('service'), name: 'web', owner: anId('project') },
    { spec, status },
    said,
  );
}

export function aDeployment(said: Said<'Deployment'> = {}): Row<'Deployment'> {
  const spec = {
    service_id: anId('service'),
    project_id: anId('project'),
    number: 1,
    source: { upload: { upload_id: anId('upload'), dockerfile_path: 'Dockerfile', context_path: '.' } },
    reuse: null,
    workload,
    stopped: false,
  };
  const times = { starting_at: null, building_at: null, promoted_at: null };
  const words = { phase: 'Pending', reason: 'Queued', message: 'It waits for its turn.' } as const;
  const found = { image: null, commit: null, digest: null, receipt: null, takeover: null };
  const status = { ...words, ...times, ...found, epoch: null, failed_epoch: null, conditions: [] };
  return aRow(
    'Deployment',
    { id: anId('deployment'), name: '1', owner: anId('service') },
    { spec, status },
    said,
  );
}

export function aReplica(said: Said<'Replica'> = {}): Row<'Replica'> {
  const spec = {
    deployment_id: anId('deployment'),
    service_id: anId('service'),
    project_id: anId('project'),
    epoch: 0,
    index: 0,
    image: `sha256:${'0'.repeat(64)}`,
    address: '10.210.0.2',
  };
  const counters = { restarts: 0, crashes: 0 };
  const unknown = { container: null, started_at: null, last_exit: null, restart_at: null, probe: null };
  const status = { phase: 'Pending', ...counters, ...unknown, conditions: [] } as const;
  const identity = { id: anId('replica'), name: '0.0', owner: anId('deployment') };
  return aRow('Replica', identity, { spec, status: { ...status, conditions: [] } }, said);
}

export function anUpload(said: Said<'Upload'> = {}): Row<'Upload'> {
  const spec = {
    service_id: anId('service'),
    bytes: 512,
    unpacked_bytes: 2048,
    entries: 2,
    sha256: '0'.repeat(64),
  };
  const identity = { id: anId('upload'), name: anId('upload'), owner: anId('service') };
  return aRow('Upload', identity, { spec, status: { conditions: [] } }, said);
}

export function aKnownHost(said: Said<'KnownHost'> = {}): Row<'KnownHost'> {
  const host = 'git.example.com';
  const spec = {
    host,
    lines: [`${host} ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIAabcdefghijklmnopqrstuvwxyz0123456789ABCDEF`],
    fingerprints: ['SHA256:0123456789012345678901234567890123456789012'],
  };
  const identity = { id: anId('known-host'), name: host, owner: anId('project') };
  return aRow('KnownHost', identity, { spec, status: { conditions: [] } }, said);
}

export function aVolume(said: Said<'Volume'> = {}): Row<'Volume'> {
  const spec = { project_id: anId('project'), service: 'web', volume: 'data', ...said.spec };
  const identity = { id: anId('volume'), name: `${spec.service}.${spec.volume}`, owner: anId('project') };
  return aRow('Volume', identity, { spec, status: { engine_name: null, conditions: [] } }, said);
}

export function aDomain(said: Said<'Domain'> = {}): Row<'Domain'> {
  const hostname = said.spec?.hostname ?? 'shop.example.com';
  const ids = { service_id: anId('service'), project_id: anId('project') };
  const identity = { id: anId('domain'), name: hostname, owner: said.spec?.service_id ?? anId('service') };
  const spec = { hostname, ...ids, token: 'the-token', attempt: 0 };
  return aRow('Domain', identity, { spec, status: unverified }, said);
}

export function aCertificate(said: Said<'Certificate'> = {}): Row<'Certificate'> {
  const hostname = said.spec?.hostname ?? 'shop.example.com';
  const ids = { domain_id: anId('domain'), service_id: anId('service'), project_id: anId('project') };
  const identity = { id: anId('certificate'), name: hostname, owner: anId('domain') };
  return aRow('Certificate', identity, { spec: { hostname, ...ids }, status: uncertified }, said);
}

export function anOrder(said: Said<'Order'> = {}): Row<'Order'> {
  const spec = {
    ...{ certificate_id: anId('certificate'), hostname: 'shop.example.com', key_version: 1 },
    directory: 'https://ca.test/dir',
  };
  const status = {
    ...({ phase: 'Pending', url: null, chain: null, not_before: null, not_after: null } as const),
    ...{ last_error: null, retry_at: null, conditions: [] },
  };
  const identity = { id: anId('order'), name: 'order', owner: anId('certificate') };
  return aRow('Order', identity, { spec, status }, said);
}

export function aChallenge(said: Said<'Challenge'> = {}): Row<'Challenge'> {
  const spec = {
    ...{ order_id: anId('order'), directory: 'https://ca.test/dir', hostname: 'shop.example.com' },
    ...{ token: 'the-acme-token', key_authorization: 'the-acme-token.thumbprint' },
    ...{ url: 'https://ca.test/challenge/1', authorization_url: 'https://ca.test/authorization/1' },
  };
  const identity = { id: anId('challenge'), name: spec.hostname, owner: anId('order') };
  const status = { phase: 'Pending', last_error: null, conditions: [] } as const;
  return aRow('Challenge', identity, { spec, status: { ...status, conditions: [] } }, said);
}

export function aJob(said: Said<'Job'> = {}): Row<'Job'> {
  const spec = {
    project_id: anId('project'),
    image: 'busybox:1.37',
    service_id: null,
    command: ['true'],
    env: {},
    resources: workload.resources,
    schedule: null,
    timezone: 'UTC',
    scheduled_since: timestamp(Date.UTC(2030, 0, 1)),
    concurrency: 'forbid',
    deadline: '1h',
    retries: 0,
    starting_deadline: '10m',
    keep: { succeeded: 5, failed: 5 },
    release: false,
    suspended: false,
  } as const;
  const status = { scheduled_at: null, next_at: null, conditions: [] };
  const identity = { id: anId('job'), name: 'cleanup', owner: anId('project') };
  return aRow('Job', identity, { spec: { ...spec, command: [...spec.command] }, status }, said);
}

export function aRun(said: Said<'Run'> = {}): Row<'Run'> {
  const spec = {
    job_id: anId('job'),
    project_id: anId('project'),
    service_id: null,
    deployment_id: null,
    trigger: 'request',
    scheduled_for: null,
    image: 'busybox:1.37',
    command: ['true'],
    env: {},
    secrets: {},
    resources: workload.resources,
    deadline: '1h',
    retries: 0,
    exclusive: true,
    stopped: false,
  } as const;
  const identity = { id: anId('run'), name: said.id ?? anId('run'), owner: anId('job') };
  return aRow(
    'Run',
    identity,
    { spec: { ...spec, command: [...spec.command] }, status: { ...runAskedFor } },
    said,
  );
}
