/** A socket in front of an engine that can go silent or go away, while the engine itself goes on. */
import { mkdtemp, rm } from 'node:fs/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface EngineProxy {
  /** `unix://…` */
  endpoint: string;
  /** Takes every connection and passes nothing on, either way. */
  hang(): void;
  /** Breaks every connection, and takes none. */
  leave(): Promise<void>;
  /** Is there again. What hung is broken. */
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

/** @param engine `unix://…` */
export async function startEngineProxy(engine: string): Promise<EngineProxy> {
  const directory = await mkdtemp(join(tmpdir(), 'svc-proxy-'));
  const path = join(directory, 'engine.sock');
  const sockets = new Set<Socket>();
  let hangs = false;
  const keep = (socket: Socket): void => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
    // The other end goes too, below.
    socket.on('error', () => undefined);
  };
  const serve = (client: Socket): void => {
    keep(client);
    if (hangs) return void client.pause();
    const server = connect({ path: engine.replace('unix://', ''), allowHalfOpen: true });
    keep(server);
    client.pipe(server).pipe(client);
    client.on('close', () => server.destroy());
    server.on('close', () => client.destroy());
  };
  let server: Server | undefined;
  const listen = async (): Promise<void> => {
    await rm(path, { force: true });
    const started = createServer({ allowHalfOpen: true }, serve);
    await new Promise<void>((resolve) => started.listen(path, resolve));
    server = started;
  };
  const leave = async (): Promise<void> => {
    const ended = server && new Promise((resolve) => server?.close(resolve));
    server = undefined;
    for (const socket of sockets) socket.destroy();
    await ended;
  };
  await listen();
  return {
    endpoint: `unix://${path}`,
    hang() {
      hangs = true;
      for (const socket of sockets) socket.unpipe().pause();
    },
    leave,
    async comeBack() {
      hangs = false;
      await leave();
      await listen();
    },
    async close() {
      await leave();
      await rm(directory, { recursive: true });
    },
  };
}
