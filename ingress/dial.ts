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
import type { Upstream } from './snapshot.ts';

/** open(2) on Linux; not among Node's constants. */
const O_PATH = 0o10000000;
const asPlace = O_PATH | constants.O_NOFOLLOW;

/**
 * @returns a socket that is connecting, for `createConnection` of http.request among others. Where nothing listens it
 * emits 'error'. Throws when a `direct` one is not there (ENOENT), is a link or anything else but a socket (ENOTSOCK), or
 * its directory is a link (ENOTDIR).
 */
export function dial(upstream: Upstream): Socket {
  if (upstream.via === 'bridged') return connect({ path: upstream.socket });
  const file = openSocket(upstream.socket);
  try {
    // connect(2) on a Unix socket is done, or has failed, when this returns: the file is not needed any longer.
    return connect({ path: `/proc/self/fd/${file}` });
  } finally {
    closeSync(file);
  }
}

/**
 * Lets unprivileged ingress workers connect to a socket that the workload made, whatever its umask was. For the control
 * plane to call when the socket appears. Rejects with ENOENT while there is none, with another error when what is there
 * is no socket. Does nothing for a `bridged` one.
 */
export async function admit(upstream: Upstream): Promise<void> {
  if (upstream.via === 'bridged') return;
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
