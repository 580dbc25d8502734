/**
 * The session that BuildKit wants of its client: HTTP/2 the other way round on an upgraded connection, with two gRPC
 * services. It answers who we are to registries (nobody) and that we are alive. dockerode's own session lacks the second,
 * so BuildKit drops it after a second and later pulls fail, and it stays open when a build is aborted.
 */
import { randomUUID } from 'node:crypto';
import { performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import { setImmediate } from 'node:timers/promises';
import type Docker from 'dockerode';
import { openSocket } from './stream.ts';

export interface Session {
  /** To be named in the build. */
  id: string;
  close(): void;
}

/** Messages by method (protobuf): an empty `CredentialsResponse` means anonymous; `HealthCheckResponse` has status 1, serving. */
const answers = new Map<string, Buffer>([
  ['/moby.filesync.v1.Auth/Credentials', Buffer.alloc(0)],
  ['/grpc.health.v1.Health/Check', Buffer.from([0x08, 0x01])],
]);

/** gRPC status UNIMPLEMENTED: BuildKit goes on without. */
const unimplemented = 12;

/** @param signal gives up waiting for it; does not end one that is open */
export async function openSession(docker: Docker, signal: AbortSignal): Promise<Session> {
  const id = randomUUID();
  const headers = { 'X-Docker-Expose-Session-Uuid': id, 'X-Docker-Expose-Session-Name': 'svc' };
  const socket = await openSocket(docker, '/session', 'h2c', headers, signal);
  const http2 = performServerHandshake(socket);
  // A session that breaks fails the build by itself, if the build still needs it.
  const ignore = (): void => undefined;
  http2.on('error', ignore);
  socket.on('error', ignore);
  http2.on('stream', (stream: ServerHttp2Stream, asked: { ':path'?: string }) => {
    stream.on('error', ignore);
    stream.resume();
    answer(stream, answers.get(asked[':path'] ?? ''));
  });
  // Node hands over what the socket had read before on the next tick, and crashes when the session is gone by then.
  await setImmediate();
  return {
    id,
    close: () => {
      http2.destroy();
      socket.destroy();
    },
  };
}

/** A unary gRPC reply: a message behind its 5-byte prefix, then the status as a trailer. */
function answer(stream: ServerHttp2Stream, message: Buffer | undefined): void {
  if (stream.destroyed) return;
  const type = { ':status': 200, 'content-type': 'application/grpc' };
  if (!message) {
    stream.respond({ ...type, 'grpc-status': String(unimplemented) }, { endStream: true });
    return;
  }
  const prefix = Buffer.alloc(5);
  prefix.writeUInt32BE(message.length, 1);
  stream.respond(type, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
  stream.end(Buffer.concat([prefix, message]));
}
