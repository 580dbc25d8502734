/** Listens where the snapshot says, no more and no less. What is piped goes on when its entry leaves. */
import { readdir, rename, unlink } from 'node:fs/promises';
import { createServer, type Server } from 'node:net';
import { join } from 'node:path';
import type { Body, ReportProblem } from '../member.ts';
import type { DrainLimits } from '../protocol.ts';
import { socketsDir } from '../run-dir.ts';
import type { BridgeEntry, Snapshot } from '../snapshot.ts';
import { openPipes, type Pipes } from './pipe.ts';

/** Bytes of a Unix socket's path: sun_path of unix(7) less its end. */
const pathLimit = 107;

interface Listener {
  entry: BridgeEntry;
  server: Server;
}

export function createBridge(runDir: string, report: ReportProblem): Body {
  const listeners = new Map<string, Listener>();
  const pipes = openPipes();
  let swept = false;
  let made = 0;

  const open = async (replica: string, entry: BridgeEntry): Promise<void> => {
    try {
      // A short name: it must fit wherever the final one does.
      const temporary = join(socketsDir(runDir), `.${process.pid.toString(36)}-${(made += 1).toString(36)}`);
      listeners.set(replica, { entry, server: await listen(entry, temporary, pipes) });
    } catch (error) {
      // The replica answers 502; the others must not suffer for it.
      report('cannot bridge a replica', { replica, error: String(error) });
    }
  };
  const apply = async ({ bridges }: Snapshot): Promise<void> => {
    const leaving = [...listeners].filter(([replica, { entry }]) => !isSame(entry, bridges[replica]));
    for (const [replica] of leaving) listeners.delete(replica);
    const missing = Object.entries(bridges).filter(([replica]) => !listeners.has(replica));
    await Promise.all(missing.map(([replica, entry]) => open(replica, entry)));
    const wanted = new Set(Object.values(bridges).map((entry) => entry.socket));
    for (const [, { entry, server }] of leaving) {
      // First nobody new comes, then those that wait to be accepted are; only then does it close.
      if (!wanted.has(entry.socket)) await remove(entry.socket, report);
      setImmediate(() => server.close());
    }
    if (!swept) await sweep(runDir, wanted, report);
    swept = true;
  };
  return {
    apply,
    busy: () => [],
    async drain({ limit_ms }: DrainLimits) {
      // The paths stay: another bridge may have taken them over.
      for (const { server } of listeners.values()) server.close();
      await pipes.end(limit_ms);
    },
  };
}

function isSame(entry: BridgeEntry, other: BridgeEntry | undefined): boolean {
  return other?.socket === entry.socket && other.address === entry.address && other.port === entry.port;
}

/** Takes the path over in one step, be it stale or in use by a bridge that this one replaces. */
async function listen(
  { socket: path, address, port }: BridgeEntry,
  temporary: string,
  pipes: Pipes,
): Promise<Server> {
  if (Buffer.byteLength(path) > pathLimit)
    throw new Error(`socket path of more than ${pathLimit} bytes: ${path}`);
  const server = createServer({ allowHalfOpen: true }, (accepted) => pipes.open(accepted, address, port));
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen({ path: temporary, backlog: 4096 }, resolve);
  });
  // Closing unlinks the name it listened on, not the one it has from now on.
  await rename(temporary, path);
  return server;
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
