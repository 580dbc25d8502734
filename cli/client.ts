/** Every route that the command line uses, as a typed function. Knows no command and prints nothing. */
import type { Readable } from 'node:stream';
import type {
  CreateApiToken,
  Credentials,
  Login,
  Me,
  MintedApiToken,
  Session,
  User,
} from '../specs/account.ts';
import type { Clock } from '../specs/clock.ts';
import type { CreateDeployment, CreateProject, CreateService, RollbackService } from '../specs/requests.ts';
import type {
  DeploymentResource,
  NodeResource,
  Page,
  ProjectResource,
  ServiceResource,
  UploadResource,
} from '../specs/resources.ts';
import { followEvents } from './client/follow.ts';
import { createTransport, type Transport } from './client/http.ts';
import type { ServerSentEvent } from './client/server-sent-events.ts';

export interface LogQuery {
  /** RFC 3339 time. */
  since?: string | undefined;
  /** How many of the newest lines. */
  tail?: number | undefined;
  replica?: string | undefined;
}

interface StreamOptions {
  signal: AbortSignal;
  onReconnect?: (attempt: number) => void;
}

/** Desired-state writes on a service that take no body. */
type ServiceAction = 'stop' | 'start' | 'restart';

/** A node, seen from outside. Every function throws CliError with the exit code that its failure has. */
export type Client = ReturnType<typeof createClient>;

export interface ClientOptions {
  url: string;
  token?: string;
  clock: Clock;
  /** Version of this program. */
  version: string;
}

export function createClient({ url, token, clock, version }: ClientOptions) {
  const http = createTransport({ url, agent: `svc/${version}`, ...(token === undefined ? {} : { token }) });
  return {
    url,
    ...accounts(http),
    ...projectsAndServices(http),
    ...deployments(http),
    ...streams(http, clock),
    close: () => http.close(),
  };
}

function accounts(http: Transport) {
  return {
    bootstrap: (bootstrapToken: string, body: Credentials) =>
      http.json<User>('POST', '/v1/bootstrap', { json: body, token: bootstrapToken }),
    login: (body: Login) => http.json<Session>('POST', '/v1/auth/login', { json: body }),
    mintToken: (sessionToken: string, body: CreateApiToken) =>
      http.json<MintedApiToken>('POST', '/v1/api-tokens', { json: body, token: sessionToken }),
    /** Ends the session whose token this is. */
    logout: (sessionToken: string) =>
      http.json<undefined>('POST', '/v1/auth/logout', { token: sessionToken }),
    me: (asToken?: string) => http.json<Me>('GET', '/v1/me', asToken === undefined ? {} : { token: asToken }),
  };
}

function projectsAndServices(http: Transport) {
  return {
    node: () => http.json<NodeResource>('GET', '/v1/node'),
    projects: () => everyPage<ProjectResource>(http, '/v1/projects'),
    createProject: (body: CreateProject) =>
      http.json<ProjectResource>('POST', '/v1/projects', { json: body }),
    /** All that the caller may see, narrowed by a project's name or id and by a service's name. */
    services: (query: { project?: string | undefined; name?: string | undefined } = {}) =>
      everyPage<ServiceResource>(http, '/v1/services', query),
    service: (id: string, signal?: AbortSignal) =>
      http.json<ServiceResource>('GET', `/v1/services/${part(id)}`, { signal }),
    createService: (body: CreateService) =>
      http.json<ServiceResource>('POST', '/v1/services', { json: body }),
    changeService: (id: string, action: ServiceAction) =>
      http.json<ServiceResource>('POST', `/v1/services/${part(id)}/${action}`, { json: {} }),
    rollbackService: (id: string, body: RollbackService) =>
      http.json<ServiceResource>('POST', `/v1/services/${part(id)}/rollback`, { json: body }),
  };
}

function deployments(http: Transport) {
  return {
    deployments: (serviceId?: string) =>
      everyPage<DeploymentResource>(http, '/v1/deployments', { service_id: serviceId }),
    deployment: (id: string, signal?: AbortSignal) =>
      http.json<DeploymentResource>('GET', `/v1/deployments/${part(id)}`, { signal }),
    createDeployment: (body: CreateDeployment) =>
      http.json<DeploymentResource>('POST', '/v1/deployments', { json: body }),
    stopDeployment: (id: string) =>
      http.json<DeploymentResource>('POST', `/v1/deployments/${part(id)}/stop`, { json: {} }),
    /** Sends a tar.zst archive. The node answers only once it has checked all of it. */
    upload: (serviceId: string, stream: Readable, signal: AbortSignal) =>
      http.json<UploadResource>('POST', `/v1/services/${part(serviceId)}/uploads`, {
        stream,
        signal,
        headers: { 'content-type': 'application/zstd' },
        answerTimeout: 600_000,
      }),
  };
}

/** The node sends a comment every 15 s, so three of them missed mean a dead connection. */
const streamIdleTimeout = 50_000;

function streams(http: Transport, clock: Clock) {
  const text = (path: string, query: LogQuery, signal: AbortSignal, accept: string) =>
    http.stream(path, { query: { ...query }, signal, headers: { accept } });

  const events = (
    path: string,
    query: LogQuery,
    { signal, onReconnect }: StreamOptions,
  ): AsyncIterable<ServerSentEvent> =>
    followEvents({
      clock,
      signal,
      onReconnect,
      open: (lastEventId) =>
        http.stream(path, {
          query: { ...query },
          signal,
          idleTimeout: streamIdleTimeout,
          headers: {
            accept: 'text/event-stream',
            ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
          },
        }),
    });

  return {
    /** The whole log as text. */
    deploymentLog: (id: string, signal: AbortSignal) =>
      text(`/v1/deployments/${part(id)}/logs`, {}, signal, 'text/plain'),
    followDeployment: (id: string, options: StreamOptions) =>
      events(`/v1/deployments/${part(id)}/logs/stream`, {}, options),
    /** One WorkloadLogLine as JSON per line. */
    serviceLog: (id: string, query: LogQuery, signal: AbortSignal) =>
      text(`/v1/services/${part(id)}/logs`, query, signal, 'application/x-ndjson'),
    followService: (id: string, query: LogQuery, options: StreamOptions) =>
      events(`/v1/services/${part(id)}/logs/stream`, query, options),
  };
}

async function everyPage<T>(
  http: Transport,
  path: string,
  query: Record<string, string | undefined> = {},
): Promise<T[]> {
  const items: T[] = [];
  let cursor: string | undefined;
  do {
    const page = await http.json<Page<T>>('GET', path, { query: { ...query, limit: 500, cursor } });
    items.push(...page.items);
    cursor = page.next_cursor ?? undefined;
  } while (cursor !== undefined);
  return items;
}

function part(id: string): string {
  return encodeURIComponent(id);
}
