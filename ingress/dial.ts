/**
 * How anybody on the node reaches a replica's socket: the ingress workers, and the health gate, which may run as root.
 *
 * A `direct` socket lies in a directory that the workload owns. A link planted there, to the engine's socket or another
 * replica's, must lead nowhere: the socket is opened without following links, checked, and reached through that open
 * file, so that nothing can be put in its place in between (contract, part 6). Linux only (O_PATH, /proc).
 */
import { closeSync, constants, fstatSync, openSync } from 'node:fs';
import { chmod } from 'node:fs/promises';
import { connect, type Socket } from 'node:net';
import { basename, dirname } from 'node:path';
import { acknowledging, failureIn, UnreachedError } from './acknowledgement.ts';
import type { Upstream } from './snapshot.ts';

/** open(2) on Linux; not among Node's constants. */
const O_PATH = 0o10000000;
const asPlace = O_PATH | constants.O_NOFOLLOW;

/**
 * Milliseconds for the bridge to say how it went. It gives up on a workload sooner by itself (bridge/pipe.ts): this is for a
 * bridge that hangs.
 */
const bridgeWithin = 8_000;

/**
 * @param signal gives up while nothing is there yet; later it does nothing
 * @returns a socket with somebody at its other end: the workload, not only the bridge. Nothing of what they said is lost.
 * Rejects where nobody is: with ENOENT or ECONNREFUSED when there is no such socket or nobody listens on it, with
 * `UnreachedError` when the bridge does not reach the workload. Of a `direct` one also when it is a link or anything else but
 * a socket (ENOTSOCK), or its directory is a link (ENOTDIR).
 */
export async function dial(upstream: Upstream, signal?: AbortSignal): Promise<Socket> {
  signal?.throwIfAborted();
  if (upstream.via === 'node') return connected(connect({ path: upstream.socket }));
  if (upstream.via === 'direct') return connected(connectDirect(upstream.socket));
  try {
    return await acknowledged(connect({ path: acknowledging(upstream.socket) }), signal);
  } catch (error) {
    // The bridge is of an earlier release and about to be replaced: it makes only the other one, and says nothing.
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    return connected(connect({ path: upstream.socket }));
  }
}

function connectDirect(path: string): Socket {
  const file = openSocket(path);
  try {
    // connect(2) on a Unix socket is done, or has failed, when this returns: the file is not needed any longer.
    return connect({ path: `/proc/self/fd/${file}` });
  } finally {
    closeSync(file);
  }
}

/** Not abortable: a Unix socket connects at once or not at all. */
function connected(socket: Socket): Promise<Socket> {
  return new Promise((resolve, reject) => {
    socket.once('connect', () => resolve(socket));
    socket.on('error', reject);
  });
}

/** Takes the bridge's one byte from the socket, and no more. */
function acknowledged(socket: Socket, signal: AbortSignal | undefined): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const settle = (error?: Error): void => {
      clearTimeout(limit);
      signal?.removeEventListener('abort', aborted);
      socket.off('readable', look).off('end', lost);
      if (error === undefined) {
        resolve(socket);
        return;
      }
      socket.destroy();
      reject(error);
    };
    const look = (): void => {
      const said = socket.read(1) as Buffer | null;
      if (said !== null) settle(failureIn(said[0]));
    };
    const lost = (): void => settle(new UnreachedError('lost'));
    const aborted = (): void =>
      settle(new Error('nobody waits for it any longer', { cause: signal?.reason }));
    const limit = setTimeout(lost, bridgeWithin);
    signal?.addEventListener('abort', aborted);
    // For good: an error between two who hold the socket must not end the process. The second hears of its close.
    socket.on('error', settle);
    socket.on('readable', look).on('end', lost);
  });
}

/**
 * Lets unprivileged ingress workers connect to a socket that the workload made, whatever its umask was. For the control
 * plane to call when the socket appears. Rejects with ENOENT while there is none, with another error when what is there
 * is no socket. Does nothing for those that we make ourselves.
 */
export async function admit(upstream: Upstream): Promise<void> {
  if (upstream.via !== 'direct') return;
  const file = openSocket(upstream.socket);
  try {
    await chmod(`/proc/self/fd/${file}`, 0o666);
  } finally {
    closeSync(file);
  }
}

/** @returns a file descriptor that stands for the socket and cannot be read. Neither it nor its directory may be a link. */
function openSocket(path: string): number {
  const directory = openSync(dirname(path), asPlace | constants.O_DIRECTORY);
  let file: number;
  try {
    file = openSync(`/proc/self/fd/${directory}/${basename(path)}`, asPlace);
  } finally {
    closeSync(directory);
  }
  if (fstatSync(file).isSocket()) return file;
  closeSync(file);
  throw Object.assign(new Error(`${path} is not a socket`), { code: 'ENOTSOCK' });
}
