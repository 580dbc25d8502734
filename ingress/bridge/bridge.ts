/** Listens where the snapshot says, no more and no less. What is piped goes on when its entry leaves. */
import { readdir, rename, unlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { acknowledging } from '../acknowledgement.ts';
import type { Body, ReportProblem } from '../member.ts';
import type { DrainLimits } from '../protocol.ts';
import { socketsDir } from '../run-dir.ts';
import type { BridgeEntry, Snapshot } from '../snapshot.ts';
import { createComplaints } from './complaints.ts';
import { openPipes, type Destination } from './pipe.ts';

/** Bytes of a Unix socket's path: sun_path of unix(7) less its end. */
const pathLimit = 107;

interface Listener {
  entry: BridgeEntry;
  servers: Server[];
}

export function createBridge(runDir: string, report: ReportProblem): Body {
  const listeners = new Map<string, Listener>();
  const pipes = openPipes();
  let swept = false;
  let made = 0;

  /** Listens on the path, be it stale or in use by a bridge that this one replaces: it is taken over in one step. */
  const listen = async (path: string, to: Destination): Promise<Server> => {
    if (Buffer.byteLength(path) > pathLimit)
      throw new Error(`socket path of more than ${pathLimit} bytes: ${path}`);
    // A short name: it must fit wherever the final one does.
    const temporary = join(socketsDir(runDir), `.${process.pid.toString(36)}-${(made += 1).toString(36)}`);
    const server = createServer({ allowHalfOpen: true }, (accepted) => pipes.open(accepted, to));
    await listening(server, temporary);
    // Closing unlinks the name it listened on, not the one it has from now on.
    await rename(temporary, path);
    return server;
  };
  const open = async (replica: string, entry: BridgeEntry): Promise<void> => {
    const [plain, acknowledged] = pathsOf(entry);
    const to = { ...entry, ...createComplaints(replica, report, () => performance.now()) };
    const servers: Server[] = [];
    try {
      // In this order: where the second is not there, the first is taken for all there will be (ingress/dial.ts).
      servers.push(await listen(plain, { ...to, acknowledged: false }));
      servers.push(await listen(acknowledged, { ...to, acknowledged: true }));
      listeners.set(replica, { entry, servers });
    } catch (error) {
      close(servers);
      // For the replica there is 503; the others must not suffer for it.
      report('cannot bridge a replica', { replica, error: String(error) });
    }
  };
  const apply = async ({ bridges }: Snapshot): Promise<void> => {
    const leaving = [...listeners].filter(([replica, { entry }]) => !isSame(entry, bridges[replica]));
    for (const [replica] of leaving) listeners.delete(replica);
    const missing = Object.entries(bridges).filter(([replica]) => !listeners.has(replica));
    await Promise.all(missing.map(([replica, entry]) => open(replica, entry)));
    const wanted = new Set(Object.values(bridges).flatMap(pathsOf));
    for (const [, { entry, servers }] of leaving) {
      // First nobody new comes, then those that wait to be accepted are; only then does it close.
      for (const path of pathsOf(entry)) if (!wanted.has(path)) await remove(path, report);
      setImmediate(() => close(servers));
    }
    if (!swept) await sweep(runDir, wanted, report);
    swept = true;
  };
  return {
    apply,
    busy: () => [],
    async drain({ limit_ms }: DrainLimits) {
      // The paths stay: another bridge may have taken them over.
      for (const { servers } of listeners.values()) close(servers);
      await pipes.end(limit_ms);
    },
  };
}

function isSame(entry: BridgeEntry, other: BridgeEntry | undefined): boolean {
  return other?.socket === entry.socket && other.address === entry.address && other.port === entry.port;
}

function pathsOf({ socket }: BridgeEntry): [plain: string, acknowledged: string] {
  return [socket, acknowledging(socket)];
}

function listening(server: Server, path: string): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path, backlog: 4096 }, resolve);
  });
}

function close(servers: readonly Server[]): void {
  for (const server of servers) server.close();
}

/** Removes the sockets that a bridge which was killed left behind. */
async function sweep(runDir: string, wanted: ReadonlySet<string>, report: ReportProblem): Promise<void> {
  const directory = socketsDir(runDir);
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    if (name.endsWith('.sock') && !wanted.has(path)) await remove(path, report);
  }
}

async function remove(path: string, report: ReportProblem): Promise<void> {
  try {
    await unlink(path);
  } catch (error) {
    // Nobody listens there any longer, which is what matters.
    report('cannot remove a socket', { path, error: String(error) });
  }
}
