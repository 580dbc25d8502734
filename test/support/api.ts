/** The real API on a real store in memory; uploads, logs and the node's state are fakes. */
import { randomBytes } from 'node:crypto';
import type { LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { buildApi } from '../../api/app.ts';
import { mintBootstrapToken } from '../../api/auth/bootstrap-token.ts';
import { createPasswords, type PasswordCost } from '../../api/auth/passwords.ts';
import { mintToken, type TokenKind } from '../../api/auth/tokens.ts';
import type { ApiSettings, App } from '../../api/context.ts';
import type { NodeState } from '../../api/ports.ts';
import type { Accounts, TokenRecord } from '../../api/store/accounts.ts';
import type { OpenStore } from '../../api/store/open.ts';
import type { Role } from '../../specs/account.ts';
import { newId, timestamp } from '../../specs/meta.ts';
import type { Problem } from '../../specs/problem.ts';
import type {
  DeploymentResource,
  ProjectResource,
  ServiceResource,
  UploadResource,
} from '../../specs/resources.ts';
import { shareCompiledSchemas } from './compiled-schemas.ts';
import { FakeConsole } from './fake-console.ts';
import { FakeGarbage } from './fake-garbage.ts';
import { FakeLogs } from './fake-logs.ts';
import { FakeMetrics } from './fake-metrics.ts';
import { FakeUploads } from './fake-uploads.ts';
import { ManualClock } from './manual-clock.ts';
import { aStore } from './store.ts';

export interface TestApi {
  app: App;
  store: OpenStore;
  accounts: Accounts;
  clock: ManualClock;
  uploads: FakeUploads;
  logs: FakeLogs;
  metrics: FakeMetrics;
  console: FakeConsole;
  node: FakeNode;
  garbage: FakeGarbage;
  /** Everything that was logged, as text. */
  log(): string;
  /** Of a super-admin. */
  token: string;
  bootstrapToken: string;
  /** A request with the super-admin's token, unless the headers hold another. */
  call(method: Method, url: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
}

export type Method = 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

export type Answer = LightMyRequestResponse & {
  status: number;
  text: string;
  /** The body of an error answer; throws when it is none. */
  problem(): Problem;
};

export interface FakeNode extends NodeState {
  reasons: string[];
}

const settings: ApiSettings = {
  controlDomain: null,
  appsDomain: 'localhost',
  publicHttpsPort: 8443,
  acmeEnabled: false,
  publicHttpPort: 8080,
  challengePort: 80,
  version: '1.2.3',
  sessionIdleMs: 30 * 86_400_000,
  sessionMaxMs: 90 * 86_400_000,
  auditKeepMs: 90 * 86_400_000,
  hostPaths: [],
};

/** What has an end: a test. */
interface Ending {
  after(close: () => Promise<void>): void;
}

export interface TestApiOptions {
  settings?: Partial<ApiSettings>;
  /** A node without any account: `token` is the empty text. */
  fresh?: boolean;
  /** Path of a database on disk, instead of one in memory. */
  file?: string;
}

/** @param end closes it in the end */
export async function testApi(end: Ending, options: TestApiOptions = {}): Promise<TestApi> {
  const clock = new ManualClock();
  const store = await aStore({ clock, ...(options.file === undefined ? {} : { file: options.file }) });
  const { accounts, vault, audit, events, idempotency, loginFailures, nodeKey } = store;
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const [uploads, logs, node] = [new FakeUploads(), new FakeLogs(), fakeNode()];
  const [console, metrics, garbage] = [new FakeConsole(), new FakeMetrics(), new FakeGarbage()];
  const app = buildApi({
    ...{ store, accounts, vault, audit, events, idempotency, loginFailures, nodeKey },
    ...{ clock, random: randomBytes, uploads, logs, metrics, console, node, garbage, logger },
    // As a node does it, but for the files.
    rotateNodeKey: async () => ({ ...(await vault.rotate(randomBytes(32))), message: 'rotated' }),
    settings: { ...settings, ...options.settings },
  });
  shareCompiledSchemas(app);
  end.after(async () => {
    await app.close();
    await store.close();
  });
  const api: TestApi = {
    ...{ app, store, accounts, clock, uploads, logs, metrics, console, node, garbage, token: '' },
    log: () => lines.join(''),
    bootstrapToken: mintBootstrapToken(nodeKey(), randomBytes),
    async call(method, url, body, headers = {}) {
      const response = await app.inject({
        ...{ method, url, headers: { ...bearer(api.token), ...headers } },
        ...(body === undefined ? {} : { payload: body }),
      });
      return answer(response);
    },
  };
  if (!options.fresh) {
    const root = await giveUser(accounts, clock, 'root');
    api.token = await giveToken(accounts, clock, root, 'api');
  }
  return api;
}

/** The header that says who asks. */
export function bearer(token: string): { authorization: string } {
  return { authorization: `Bearer ${token}` };
}

function answer(response: LightMyRequestResponse): Answer {
  const { statusCode: status, payload: text } = response;
  return Object.assign(response, {
    status,
    text,
    problem() {
      const type = String(response.headers['content-type']);
      if (!type.startsWith('application/problem+json')) throw new Error(`${status} with ${type}: ${text}`);
      return response.json<Problem>();
    },
  });
}

/** What is stored of a password; cheap to make, unless said otherwise. */
export function hashOf(
  password: string,
  cost: PasswordCost = { memoryCost: 1024, timeCost: 2, parallelism: 1 },
): Promise<string> {
  return createPasswords(randomBytes, () => Promise.resolve([]), cost).hash(password);
}

/** A user, a super-admin unless said otherwise, without a password that works. @returns its id */
export async function giveUser(
  accounts: Accounts,
  clock: ManualClock,
  username: string,
  { super_admin = true, password_hash = 'none' } = {},
): Promise<string> {
  const id = newId('user', clock.now(), randomBytes(10));
  const at = timestamp(clock.now());
  const identity = { id, username, password_hash, super_admin };
  await accounts.createUser({ ...identity, created_at: at, updated_at: at, version: 1 });
  return id;
}

/** @returns the token */
export async function giveToken(
  accounts: Accounts,
  clock: ManualClock,
  userId: string,
  kind: TokenKind,
  expires_at: string | null = null,
  limits: Partial<Pick<TokenRecord, 'project_id' | 'role'>> = {},
): Promise<string> {
  const { token, hash } = mintToken(kind, randomBytes);
  const id = newId('token', clock.now(), randomBytes(10));
  const times = { created_at: timestamp(clock.now()), expires_at, last_used_at: null };
  const none = { project_id: null, role: null };
  await accounts.createToken({ ...none, ...limits, ...times, id, kind, user_id: userId, name: 'test', hash });
  return token;
}

/** A user who is no super-admin, with a role in each of these projects (by id). @returns its id and an API token of it */
export async function giveMember(
  { accounts, clock }: TestApi,
  username: string,
  roles: Readonly<Record<string, Role>> = {},
): Promise<{ id: string; token: string }> {
  const id = await giveUser(accounts, clock, username, { super_admin: false });
  for (const [project_id, role] of Object.entries(roles))
    await accounts.putMember({ project_id, user_id: id, role, at: timestamp(clock.now()) });
  return { id, token: await giveToken(accounts, clock, id, 'api') };
}

/** The project `shop` and the service `web` in it. */
export async function giveService(
  api: TestApi,
): Promise<{ project: ProjectResource; service: ServiceResource }> {
  const project = (await api.call('POST', '/v1/projects', { name: 'shop' })).json<ProjectResource>();
  const body = { project: 'shop', name: 'web', port: 3000 };
  return { project, service: (await api.call('POST', '/v1/services', body)).json<ServiceResource>() };
}

export async function giveUpload(api: TestApi, serviceId: string): Promise<UploadResource> {
  const response = await api.app.inject({
    method: 'POST',
    url: `/v1/services/${serviceId}/uploads`,
    headers: { authorization: `Bearer ${api.token}`, 'content-type': 'application/zstd' },
    payload: Buffer.from('an archive'),
  });
  return response.json();
}

/** A push of the service, Pending. */
export async function giveDeployment(api: TestApi, serviceId: string): Promise<DeploymentResource> {
  const { upload_id } = await giveUpload(api, serviceId);
  return (
    await api.call('POST', '/v1/deployments', { service_id: serviceId, upload_id })
  ).json<DeploymentResource>();
}

function fakeNode(): FakeNode {
  return {
    reasons: [],
    engine: () => ({
      reachable: true,
      endpoint: 'unix:///var/run/docker.sock',
      version: '20.10',
      message: null,
    }),
    disks: () => [
      {
        ...{ path: '/var/lib/svc', holds: ['data', 'images'] },
        ...{ free_bytes: 30 * 2 ** 30, total_bytes: 80 * 2 ** 30, floor_bytes: 5 * 2 ** 30 },
      },
    ],
    ingress: () => ({ workers: [{ slot: 0, pid: 7, revision: 3 }], revision: 3 }),
    unready() {
      return Promise.resolve(this.reasons);
    },
  };
}
