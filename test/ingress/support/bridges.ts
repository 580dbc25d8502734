/** A bridge in this process, and workloads on loopback ports behind it: for what does not need processes. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { createBridge } from '../../../ingress/bridge/bridge.ts';
import type { Body } from '../../../ingress/member.ts';
import type { Upstream } from '../../../ingress/index.ts';
import { routesTo } from './replicas.ts';

export interface RunningBridge {
  bridge: Body;
  sockets: string;
  reports: { message: string; fields: Record<string, string | number> }[];
  /** Replica id → port on loopback. */
  route(ports: Record<string, number>): Promise<void>;
  upstream(replica: string): Upstream;
}

export async function runBridge(t: Pick<TestContext, 'after'>, runDir: string): Promise<RunningBridge> {
  const sockets = join(runDir, 'sockets');
  await mkdir(sockets, { mode: 0o700, recursive: true });
  const reports: RunningBridge['reports'] = [];
  const bridge = createBridge(runDir, (message, fields) => reports.push({ message, fields }));
  t.after(() => bridge.drain({ idle_ms: 0, limit_ms: 0 }));
  const upstream = (replica: string): Upstream => ({
    socket: join(sockets, `${replica}.sock`),
    via: 'bridged',
  });
  let revision = 0;
  const route = async (ports: Record<string, number>): Promise<void> => {
    const entries = Object.entries(ports).map(([id, port]) => [
      id,
      { socket: upstream(id).socket, address: '127.0.0.1', port },
    ]);
    revision += 1;
    await bridge.apply({ revision, ...routesTo({}), bridges: Object.fromEntries(entries) as never });
  };
  return { bridge, sockets, reports, route, upstream };
}

/** @param port 0: one that is free */
export async function tcpWorkload(
  t: Pick<TestContext, 'after'>,
  onSocket: (socket: Socket) => void,
  port = 0,
): Promise<{ server: Server; port: number }> {
  const server = createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('error', () => socket.destroy());
    t.after(() => socket.destroy());
    onSocket(socket);
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  t.after(() => server.close());
  return { server, port: (server.address() as AddressInfo).port };
}

/**
 * A workload that is stopped, with its queue of connections full: nothing answers there, as if its host were gone. Once told to
 * go on it gives every body back.
 */
export async function stalledWorkload(
  t: Pick<TestContext, 'after'>,
): Promise<{ port: number; goOn(): void }> {
  const serve = `const { createServer } = require('node:http');
    const server = createServer((req, res) => req.pipe(res));
    server.listen({ port: 0, host: '127.0.0.1', backlog: 1 }, () => console.log(server.address().port));`;
  const workload = spawn(process.execPath, ['-e', serve], { stdio: ['ignore', 'pipe', 'inherit'] });
  t.after(() => workload.kill('SIGKILL'));
  const [said] = (await once(workload.stdout, 'data')) as [Buffer];
  const port = Number(said);
  workload.kill('SIGSTOP');
  const filling = [1, 2].map(() => connect(port, '127.0.0.1').on('error', () => undefined));
  t.after(() => filling.forEach((socket) => socket.destroy()));
  await Promise.all(filling.map((socket) => once(socket, 'connect')));
  return { port, goOn: () => void workload.kill('SIGCONT') };
}
