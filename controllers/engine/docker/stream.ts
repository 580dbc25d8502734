/**
 * Opens calls whose reply is a stream. Through dockerode's modem and not its own methods: those read a log without
 * `follow` into memory first, and leak the session of a build that was aborted.
 */
import type Docker from 'dockerode';
import type { IncomingMessage } from 'node:http';
import { Duplex, type Readable } from 'node:stream';
import { EngineError } from '../engine.ts';
import type { RegistryAuth } from '../registry-request.ts';

export interface StreamRequest {
  method: 'GET' | 'POST';
  /** Without version and query. */
  path: string;
  query: Readonly<Record<string, string | number | boolean>>;
  body?: Readable;
  /** Goes into the header X-Registry-Auth. */
  auth?: RegistryAuth;
  signal: AbortSignal;
}

interface Modem {
  dial(options: object, callback: (error: unknown, reply: unknown) => void): void;
}

const statusCodes = { 200: true };

/** @returns the reply once its header is there; rejects when the status is not 200. The signal ends the reply as well. */
export async function openStream(docker: Docker, request: StreamRequest): Promise<IncomingMessage> {
  const { method, path, query, body, auth, signal } = request;
  const reply = await dial<IncomingMessage>(docker, {
    method,
    path: `${path}?`,
    options: { _query: query, _body: {} },
    file: body,
    ...(auth && { authconfig: authOf(auth) }),
    abortSignal: signal,
    isStream: true,
    statusCodes,
  });
  if (signal.aborted) reply.destroy();
  return reply;
}

/** As the engine's API has it. */
function authOf({ server, username, password }: RegistryAuth): object {
  return { username, password, serveraddress: server };
}

/**
 * Turns a connection into a plain socket (`Upgrade: <protocol>`).
 * @param headers of the request
 * @param signal gives up waiting for it
 * @param body sent as JSON
 */
export async function openSocket(
  docker: Docker,
  path: string,
  protocol: string,
  headers: Readonly<Record<string, string>>,
  signal: AbortSignal,
  body?: object,
): Promise<Duplex> {
  const upgrade = { hijack: true, headers: { ...headers, Upgrade: protocol } };
  const socket = await dial<unknown>(docker, {
    method: 'POST',
    path,
    ...upgrade,
    ...(body && { options: { _body: body } }),
    abortSignal: signal,
    statusCodes,
  });
  if (socket instanceof Duplex) return socket;
  throw new EngineError(
    'unavailable',
    'The container engine did not open a session: check what listens on its socket',
  );
}

function dial<T>(docker: Docker, options: object): Promise<T> {
  const modem = docker.modem as Modem;
  return new Promise<T>((resolve, reject) =>
    modem.dial(options, (error, reply) => {
      if (error instanceof Error) reject(error);
      else resolve(reply as T);
    }),
  );
}
