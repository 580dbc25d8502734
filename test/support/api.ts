/** The real API on a real store in memory; uploads, logs and the node's state are fakes. */
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { pino } from 'pino';
import { buildApi } from '../../api/app.ts';
import { mintBootstrapToken } from '../../api/auth/bootstrap-token.ts';
import { mintToken, type TokenKind } from '../../api/auth/tokens.ts';
import type { ApiSettings, App } from '../../api/context.ts';
import type { NodeState } from '../../api/ports.ts';
import type { Accounts } from '../../api/store/accounts.ts';
import type { Store } from '../../api/store/store.ts';
import { newId, timestamp } from '../../specs/meta.ts';
import type { Problem } from '../../specs/problem.ts';
import type {
  DeploymentResource,
  ProjectResource,
  ServiceResource,
  UploadResource,
} from '../../specs/resources.ts';
import { FakeLogs } from './fake-logs.ts';
import { FakeUploads } from './fake-uploads.ts';
import { ManualClock } from './manual-clock.ts';
import { memoryStore } from './store.ts';

export interface TestApi {
  app: App;
  store: Store;
  accounts: Accounts;
  clock: ManualClock;
  uploads: FakeUploads;
  logs: FakeLogs;
  node: FakeNode;
  nodeKey: Buffer;
  /** Everything that was logged, as text. */
  log(): string;
  /** Of a super-admin. */
  token: string;
  bootstrapToken: string;
  /** A request with the super-admin's token, unless the headers hold another. */
  call(method: Method, url: string, body?: object, headers?: Record<string, string>): Promise<Answer>;
}

type Method = 'GET' | 'HEAD' | 'POST' | 'DELETE';

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
  publicHttpPort: 8080,
  version: '1.2.3',
};

export interface TestApiOptions {
  settings?: Partial<ApiSettings>;
  /** A node without any account: `token` is the empty text. */
  fresh?: boolean;
}

export async function testApi(test: TestContext, options: TestApiOptions = {}): Promise<TestApi> {
  const clock = new ManualClock();
  const store = await memoryStore([], clock);
  const { accounts } = store;
  const lines: string[] = [];
  const logger = pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) });
  const nodeKey = randomBytes(32);
  const [uploads, logs, node] = [new FakeUploads(), new FakeLogs(), fakeNode()];
  const deps = { store, accounts, clock, random: randomBytes, nodeKey, uploads, logs, node, logger };
  const app = buildApi({ ...deps, settings: { ...settings, ...options.settings } });
  test.after(async () => {
    await app.close();
    await store.close();
  });
  const token = options.fresh
    ? ''
    : await giveToken(accounts, clock, await giveUser(accounts, clock, 'root'), 'api');
  return {
    ...{ app, store, accounts, clock, uploads, logs, node, nodeKey, token },
    log: () => lines.join(''),
    bootstrapToken: mintBootstrapToken(nodeKey, randomBytes),
    async call(method, url, body, headers = {}) {
      const authorization = `Bearer ${token}`;
      const response = await app.inject({
        ...{ method, url, headers: { authorization, ...headers } },
        ...(body === undefined ? {} : { payload: body }),
      });
      return answer(response);
    },
  };
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

/** A user without a password that works. @returns its id */
export async function giveUser(accounts: Accounts, clock: ManualClock, username: string): Promise<string> {
  const id = newId('user', clock.now(), randomBytes(10));
  const created_at = timestamp(clock.now());
  await accounts.createUser({ id, username, password_hash: 'none', super_admin: true, created_at });
  return id;
}

/** @returns the token */
export async function giveToken(
  accounts: Accounts,
  clock: ManualClock,
  userId: string,
  kind: TokenKind,
  expires_at: string | null = null,
): Promise<string> {
  const { token, hash } = mintToken(kind, randomBytes);
  const id = newId('token', clock.now(), randomBytes(10));
  const created_at = timestamp(clock.now());
  await accounts.createToken({
    id,
    kind,
    user_id: userId,
    name: 'test',
    hash,
    created_at,
    expires_at,
    last_used_at: null,
  });
  return token;
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
    ingress: () => ({ workers: [{ slot: 0, pid: 7, revision: 3 }], revision: 3 }),
    unready() {
      return Promise.resolve(this.reasons);
    },
  };
}
