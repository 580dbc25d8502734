/** A node whose API is driven by its description: who asks, in which order, and what controllers do meanwhile. */
import { randomBytes } from 'node:crypto';
import type { TestContext } from 'node:test';
import type { LightMyRequestResponse } from 'fastify';
import { newId } from '../../specs/meta.ts';
import { ApiDescription, type Operation } from './api-description.ts';
import { ApiDriver, type Prepared } from './api-driver.ts';
import { testApi, type TestApi } from './api.ts';
import { lookAfterDomains } from './verifying.ts';
import { aKnownHost, aVolume, given } from './store.ts';
import { aReadyReplica, giveTicket, openConsoleAt } from './console-client.ts';
import { openStream } from './event-stream.ts';

/** In which order operations make sense: what makes things, what acts on them, what reads, what changes, what takes away. */
function rank({ method, id, path, responses }: Operation): number {
  const depth = path.split('/').length;
  // A session is needed for some, and some end it.
  const sessions = {
    logIn: 0,
    createApiToken: 150,
    deleteApiToken: 700,
    changePassword: 710,
    logOut: 720,
    updateUser: 730,
  };
  if (id in sessions) return sessions[id as keyof typeof sessions];
  if (method === 'DELETE') return 900 - depth;
  if (method === 'GET') return 500;
  if (method === 'PATCH') return 400;
  if (path.includes('{') && responses['202']) return 300;
  // A key is made only where there is none; one that is set takes its place.
  return id === 'setDeployKey' ? 200 : 100 + depth;
}

export class ApiWorld {
  readonly description: ApiDescription;
  readonly driver: ApiDriver;
  readonly api: TestApi;

  constructor(api: TestApi, description: ApiDescription) {
    this.api = api;
    this.description = description;
    this.driver = new ApiDriver(description);
  }

  static async of(t: TestContext): Promise<ApiWorld> {
    const api = await testApi(t);
    lookAfterDomains(api);
    return new ApiWorld(api, new ApiDescription((await api.app.inject('/openapi.json')).json()));
  }

  /** All operations in an order in which the ids that one takes were answered by one before. */
  *inOrder(): Generator<Operation> {
    const waiting = [...this.description.operations].sort((a, b) => rank(a) - rank(b));
    while (waiting.length > 0) {
      const next = waiting.findIndex((operation) => this.driver.missing(operation).length === 0);
      const [operation] = waiting.splice(Math.max(0, next), 1);
      if (operation) yield operation;
    }
  }

  token({ access }: Operation): string {
    if (access === 'bootstrap') return this.api.bootstrapToken;
    // What belongs to a user belongs to the one that the driver made.
    const isOwn = access === 'user' || access === 'holder' || access === 'session';
    return isOwn ? (this.driver.known.get('session') ?? '') : this.api.token;
  }

  async send(operation: Operation, request: Prepared, more: Record<string, string> = {}) {
    if (operation.responses['200']?.content?.['text/event-stream']) return this.follow(request);
    if (operation.responses['101'] && !request.url.includes('?')) return this.open(request);
    const authorization = `Bearer ${this.token(operation)}`;
    const host = this.driver.known.get('host') ?? 'localhost';
    return this.api.app.inject({ ...request, headers: { authorization, host, ...request.headers, ...more } });
  }

  /** Remembers what the answer told, and does what controllers would do about it. */
  async settle(operation: Operation, answer: string): Promise<void> {
    this.driver.learn(operation, answer);
    if (operation.id === 'createProject') await this.knowHost();
    if (operation.id !== 'createDeployment') return;
    const { id, service_id } = JSON.parse(answer) as { id: string; service_id: string };
    const { store } = this.api;
    const previous = (await store.get('Service', service_id))?.status.promoted ?? null;
    await store.patchStatus('Deployment', id, 1, { phase: 'Healthy', image: `sha256:${'0'.repeat(64)}` });
    await store.patchStatus('Service', service_id, 1, { promoted: id, previous });
    const replica = aReadyReplica(id, service_id);
    await given(store, replica);
    this.driver.known.set('deployment', id).set('replica', replica.id);
  }

  /** As the first clone over SSH, and the first replica with a volume, would. */
  private async knowHost(): Promise<void> {
    const known = aKnownHost({
      id: newId('known-host', 0, randomBytes(10)),
      owner: this.driver.known.get('project') ?? '',
    });
    await given(this.api.store, known);
    this.driver.known.set('known_host_id', known.id);
    const spec = { project_id: known.owner ?? '', service: 'gone' };
    const volume = aVolume({ id: newId('volume', 0, randomBytes(10)), owner: known.owner, spec });
    await given(this.api.store, volume);
    this.driver.known.set('volume_id', volume.id).set('confirm', volume.name);
  }

  /** A console has no answer but to its handshake, which takes a ticket. */
  async open({ url }: Prepared): Promise<Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'payload'>> {
    const ticket = await giveTicket(this.api, this.driver.known.get('service_id') ?? '');
    const console = await openConsoleAt(this.api, `${url}?ticket=${ticket}`);
    const { status, requestId, body } = await console.answered;
    console.socket.terminate();
    return { statusCode: status, headers: { 'x-request-id': requestId }, payload: body };
  }

  /** A stream has no end: its head is its answer. */
  async follow({
    url,
  }: Prepared): Promise<Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'payload'>> {
    const stream = await openStream(this.api, url);
    const { statusCode = 0, headers } = stream.response;
    stream.leave();
    return { statusCode, headers, payload: '' };
  }
}
