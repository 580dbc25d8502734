/**
 * Who may do what, written from the documents and not from the code: the capabilities of part 5 of the interface, and the
 * contract's routes for what it leaves open. A route that the API has and this table lacks fails the test.
 */
import { generateKeyPairSync } from 'node:crypto';
import { password } from './everybody.ts';
import type { Shop } from './shop.ts';

/** From the least right to the greatest; what none of the four roles covers comes first. */
export const capabilities = {
  /** No token at all. */
  public: 'public',
  /** Any of the three kinds of token. Lists answer what the caller may read: nothing to who is no member anywhere. */
  'any token': 'any',
  /** No token, but a ticket of the console, which none of the requests here has. */
  'a ticket': 'ticket',
  /** An account: not the bootstrap token, which is nobody's, and no limited token. */
  'a user': 'user',
  /** Also a limited token, which may revoke itself; here it names another one. */
  'a user or their limited token': 'holder',
  'a session': 'session',
  'the bootstrap token': 'bootstrap',
  'Read services, deployments, jobs, logs, metrics (environment values redacted)': 'Viewer',
  'Create or update services and jobs, deploy, manage domains and registries, open console, trigger runs':
    'Operator',
  'Manage project members and roles': 'Admin',
  'Create or delete projects, manage users, registry garbage collection': 'super-admin',
} as const;

export type Right = (typeof capabilities)[keyof typeof capabilities];

type Body = (shop: Shop) => object;

export interface Expected {
  right: Right;
  /** Of the answer to who may. */
  status: number;
  /** Of a list: who may not read what is in the shop gets a page without it. */
  list?: true;
  query?: string;
  body?: Body;
  /** Instead of JSON. */
  archive?: true;
}

const takes =
  (right: Right) =>
  (status: number, body?: Body): Expected => ({ right, status, ...(body && { body }) });

const read = takes(
  capabilities['Read services, deployments, jobs, logs, metrics (environment values redacted)'],
);
const operate = takes(
  capabilities[
    'Create or update services and jobs, deploy, manage domains and registries, open console, trigger runs'
  ],
);
const administer = takes(capabilities['Manage project members and roles']);
const own = takes(capabilities['Create or delete projects, manage users, registry garbage collection']);
const user = takes(capabilities['a user']);

const { privateKey: private_key } = generateKeyPairSync('ed25519', {
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
});

/** Method and path → what it takes. HEAD is as GET. */
export const table: Readonly<Record<string, Expected>> = {
  'GET /healthz': { right: 'public', status: 200 },
  'GET /readyz': { right: 'public', status: 200 },
  'GET /openapi.json': { right: 'public', status: 200 },
  'GET /.well-known/service-challenge/:token': { right: 'public', status: 200 },
  'POST /v1/auth/login': { right: 'public', status: 200, body: () => ({ username: 'viewer', password }) },
  'POST /v1/auth/logout': { right: 'session', status: 204 },
  // Who may, is told that the node has its first account already.
  'POST /v1/bootstrap': { right: 'bootstrap', status: 409, body: () => ({ username: 'first', password }) },

  'GET /v1/me': { right: 'any', status: 200 },
  'PUT /v1/me/password': user(204, () => ({ current_password: password, password: 'battery staple' })),
  'GET /v1/api-tokens': user(200),
  'POST /v1/api-tokens': user(201, () => ({ name: 'ci' })),
  'DELETE /v1/api-tokens/:id': takes(capabilities['a user or their limited token'])(204),

  'GET /v1/users': own(200),
  'POST /v1/users': own(201, ({ fresh }) => ({ username: fresh, password })),
  'GET /v1/users/:id': own(200),
  'PATCH /v1/users/:id': own(200, () => ({ super_admin: true })),
  'DELETE /v1/users/:id': own(204),

  'GET /v1/node': { right: 'any', status: 200 },
  'POST /v1/node/rotate-key': own(200),
  'POST /v1/gc': own(200),
  'GET /v1/audit': own(200),
  'GET /v1/events': { right: 'any', status: 200 },

  'GET /v1/projects': { right: 'any', status: 200, list: true },
  'POST /v1/projects': own(201, ({ fresh }) => ({ name: fresh })),
  'GET /v1/projects/:id': read(200),
  // Who may, is told of the data that would go with it.
  'DELETE /v1/projects/:id': { ...own(409), query: '?cascade=true' },
  'GET /v1/projects/:id/members': administer(200),
  'PUT /v1/projects/:id/members/:username': administer(201, () => ({ role: 'Viewer' })),
  'DELETE /v1/projects/:id/members/:username': administer(204),
  'GET /v1/projects/:id/registries': operate(200),
  'POST /v1/projects/:id/registries': operate(201, () => ({ server: 'ghcr.io', username: 'ci', password })),
  'GET /v1/projects/:id/registries/:registry_id': operate(200),
  'DELETE /v1/projects/:id/registries/:registry_id': operate(204),
  'GET /v1/projects/:id/known-hosts': operate(200),
  'GET /v1/projects/:id/known-hosts/:known_host_id': operate(200),
  'DELETE /v1/projects/:id/known-hosts/:known_host_id': operate(204),
  'GET /v1/projects/:id/volumes': read(200),
  'GET /v1/projects/:id/volumes/:volume_id': read(200),
  'DELETE /v1/projects/:id/volumes/:volume_id': { ...administer(202), query: '?confirm=gone.data' },
  'GET /v1/projects/:id/deploy-key': operate(200),
  'POST /v1/projects/:id/deploy-key': operate(200, () => ({ private_key })),
  // Who may, is told that there is one, which this would shut out.
  'POST /v1/projects/:id/deploy-key/generate': operate(409),
  'DELETE /v1/projects/:id/deploy-key': operate(204),

  'GET /v1/services': { right: 'any', status: 200, list: true },
  'POST /v1/services': operate(201, ({ project }) => ({ project, name: 'api', port: 3000 })),
  'GET /v1/services/:id': read(200),
  'PATCH /v1/services/:id': operate(202, () => ({ replicas: 2 })),
  'DELETE /v1/services/:id': operate(202),
  'GET /v1/services/:id/secrets': read(200),
  'PATCH /v1/services/:id/secrets': operate(202, () => ({ set: { KEY: 'a secret value' } })),
  'POST /v1/services/:id/stop': operate(202),
  'POST /v1/services/:id/start': operate(202),
  'POST /v1/services/:id/restart': operate(202),
  'POST /v1/services/:id/rollback': operate(202),
  'POST /v1/services/:id/console/tickets': operate(200),
  'GET /v1/services/:id/console/ws': { right: 'ticket', status: 401 },
  'GET /v1/services/:id/logs': read(200),
  'GET /v1/services/:id/logs/stream': read(200),
  'GET /v1/services/:id/metrics': read(200),
  'GET /v1/services/:id/domains': read(200),
  'POST /v1/services/:id/domains': operate(201, ({ fresh }) => ({ hostname: `${fresh}.example.com` })),
  'GET /v1/services/:id/domains/:domain_id': read(200),
  'DELETE /v1/services/:id/domains/:domain_id': operate(202),
  'POST /v1/services/:id/domains/:domain_id/verify': operate(200),
  'POST /v1/services/:id/uploads': { ...operate(201), archive: true },

  'GET /v1/deployments': { right: 'any', status: 200, list: true },
  'POST /v1/deployments': operate(202, ({ service, upload }) => ({ service_id: service, upload_id: upload })),
  'GET /v1/deployments/:id': read(200),
  'POST /v1/deployments/:id/stop': operate(202),
  'GET /v1/deployments/:id/logs': read(200),
  'GET /v1/deployments/:id/logs/stream': read(200),

  'GET /v1/jobs': { right: 'any', status: 200, list: true },
  'POST /v1/jobs': operate(201, ({ project }) => ({
    project,
    name: 'mail',
    image: 'busybox',
    command: ['true'],
  })),
  'GET /v1/jobs/:id': read(200),
  'PATCH /v1/jobs/:id': operate(200, () => ({ retries: 1 })),
  'DELETE /v1/jobs/:id': operate(202),
  'GET /v1/jobs/:id/runs': read(200),
  'POST /v1/jobs/:id/runs': operate(202),
  'GET /v1/runs/:id': read(200),
  'POST /v1/runs/:id/stop': operate(202),
  'GET /v1/runs/:id/logs': read(200),
  'GET /v1/runs/:id/logs/stream': read(200),
};
