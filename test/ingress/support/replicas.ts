/** Workloads for tests: HTTP servers and raw ones on Unix sockets, and the snapshot that routes to them. */
import { chmodSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { createServer, type RequestListener, type Server as HttpServer } from 'node:http';
import { createServer as createRawServer, type Server, type Socket } from 'node:net';
import type { TestContext } from 'node:test';
import type { ServiceRoute, Snapshot, Upstream } from '../../../ingress/index.ts';

export type Routes = Omit<Snapshot, 'revision'>;

export async function listenOn(server: Server, path: string): Promise<void> {
  await rm(path, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(path, resolve);
  });
  // Whoever the ingress runs as.
  chmodSync(path, 0o777);
}

export async function httpReplica(
  t: Pick<TestContext, 'after'>,
  path: string,
  listener: RequestListener,
): Promise<HttpServer> {
  const server = createServer(listener);
  await listenOn(server, path);
  t.after(() => stop(server));
  return server;
}

export function stop(server: HttpServer): Promise<void> {
  server.closeAllConnections();
  return new Promise((resolve) => server.close(() => resolve()));
}

/** One that says and does what no HTTP server would. */
export async function rawReplica(
  t: Pick<TestContext, 'after'>,
  path: string,
  onSocket: (socket: Socket) => void,
): Promise<Server> {
  const sockets = new Set<Socket>();
  const server = createRawServer((socket) => {
    sockets.add(socket);
    // A hostile replica does not mind being cut off.
    socket.on('error', () => socket.destroy());
    socket.on('close', () => sockets.delete(socket));
    onSocket(socket);
  });
  await listenOn(server, path);
  t.after(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => server.close(resolve));
  });
  return server;
}

/** Service name → its replicas' sockets (simply connected to) or upstreams. */
export function routesTo(
  services: Record<string, Record<string, string | Upstream>>,
  more: Partial<Routes> = {},
): Routes {
  const hosts: Record<string, string> = {};
  const routes: Record<string, ServiceRoute> = {};
  const upstreams: Record<string, Upstream> = {};
  for (const [name, replicas] of Object.entries(services)) {
    hosts[`${name}.test`] = `svc_${name}`;
    const names = { name, project: 'demo', running: true, replicas: Object.keys(replicas) };
    routes[`svc_${name}`] = { ...names, drain_ms: 30_000, park: null };
    for (const [id, at] of Object.entries(replicas))
      upstreams[id] = typeof at === 'string' ? { socket: at, via: 'node' } : at;
  }
  return { hosts, services: routes, upstreams, bridges: {}, control: null, ...more };
}
