/** The API of a test node as the logged-in admin sees it, and what it has put at its engine. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'smol-toml';
import type { CreateService } from '../../specs/requests.ts';
import type { DeploymentResource, Page, ServiceResource } from '../../specs/resources.ts';
import { ask, engineCall, type Answer } from './http-answer.ts';
import type { TestNode } from './node.ts';

/** Part of what the engine says of a container. */
export interface Inspected {
  Id: string;
  Name: string;
  /** Id of its image. */
  Image: string;
  Config: { Image: string; Labels: Record<string, string>; Env: string[] };
  HostConfig: Record<string, unknown>;
  NetworkSettings: {
    Ports: Record<string, unknown> | null;
    Networks: Record<string, { IPAddress: string; Gateway: string }>;
  };
  Mounts: { Type: string; Source: string; Destination: string; RW: boolean }[];
}

export async function tokenOf({ clientDir }: Pick<TestNode, 'clientDir'>): Promise<string> {
  const { token } = parse(await readFile(join(clientDir, 'client.toml'), 'utf8')) as { token: string };
  return token;
}

/** One request, JSON in and whatever comes out. @param token undefined: the admin's */
export async function callApi(
  node: TestNode,
  method: string,
  path: string,
  body?: unknown,
  token?: string,
): Promise<Answer> {
  const { hostname: host, port } = new URL(node.apiUrl);
  const headers = {
    authorization: `Bearer ${token ?? (await tokenOf(node))}`,
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
  };
  return ask({ host, port, method, path, headers }, body === undefined ? undefined : JSON.stringify(body));
}

/** As {@link callApi}; throws when the answer is no success. */
export async function fromApi<T>(node: TestNode, method: string, path: string, body?: unknown): Promise<T> {
  const { status, text } = await callApi(node, method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${text}`);
  return JSON.parse(text) as T;
}

/**
 * Creates a service of the project `demo` unless another is named. Nothing is taken back by itself unless it is asked for, so
 * that what is replaced goes at once.
 */
export function createService(
  node: TestNode,
  fields: Partial<CreateService> & { name: string },
): Promise<ServiceResource> {
  const release = { auto_rollback: false, ...fields.release };
  return fromApi(node, 'POST', '/v1/services', { project: 'demo', port: 8080, ...fields, release });
}

/** Newest first. */
export async function deploymentsOf(
  node: TestNode,
  service: Pick<ServiceResource, 'id'>,
): Promise<DeploymentResource[]> {
  const path = `/v1/deployments?service_id=${service.id}`;
  return (await fromApi<Page<DeploymentResource>>(node, 'GET', path)).items;
}

export function deploymentOf(node: TestNode, id: string): Promise<DeploymentResource> {
  return fromApi(node, 'GET', `/v1/deployments/${id}`);
}

/** Containers of the node, whatever their state. @param labels beyond that of the node itself */
export async function containersOf(
  node: TestNode,
  labels: Record<string, string> = {},
): Promise<Inspected[]> {
  const nodeId = (await readFile(join(node.dataDir, 'node.id'), 'utf8')).trim();
  const label = Object.entries({ 'svc.node': nodeId, ...labels }).map(([name, value]) => `${name}=${value}`);
  const filters = encodeURIComponent(JSON.stringify({ label }));
  const { text } = await engineCall(node.engine, 'GET', `/containers/json?all=1&filters=${filters}`);
  const inspected = (JSON.parse(text) as { Id: string }[]).map(async ({ Id }) => {
    const answer = await engineCall(node.engine, 'GET', `/containers/${Id}/json`);
    return answer.status === 200 ? [JSON.parse(answer.text) as Inspected] : [];
  });
  return (await Promise.all(inspected)).flat();
}
