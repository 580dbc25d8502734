/**
 * The run directory and who may do what in it. As root:
 *
 * ```
 * <runDir>/               root        0711  passable, not listable
 *   certificates/         root:user   0710  passable, not listable, not writable by the members
 *     <id>.pem            user        0600  a certificate and its key
 *   control.sock          user        0600  members dial home
 *   sockets/              root:user   1770  only root and the members pass
 *     <replica>.sock      user        0600  made by the bridge
 *     <replica>.ack.sock  user        0600  the same; what it says first is acknowledgement.ts
 *     <replica>/          root        0777  mounted into a `listen: socket` workload, which makes svc.sock in it
 * ```
 *
 * `sockets/` is root's and sticky so that a member that was taken over can make and remove its own sockets, but cannot
 * put a link in the place of a directory that root will mount into a container. Without root all of it is the node's.
 */
import { chown, chmod, mkdir } from 'node:fs/promises';
import { join } from 'node:path';

export interface User {
  uid: number;
  gid: number;
}

/** Numeric, so that no account has to exist; a number that no usual image runs as (65534 and 65532 are such). */
const unprivileged: User = { uid: 65_432, gid: 65_432 };

/** Whom workers and the bridge become: only a node that runs as root can, and has to. Others stay who they are. */
export function ingressUser(): User | undefined {
  return process.getuid?.() === 0 ? unprivileged : undefined;
}

export function controlSocket(runDir: string): string {
  return join(runDir, 'control.sock');
}

export function socketsDir(runDir: string): string {
  return join(runDir, 'sockets');
}

/** Makes the run directory, or mends its modes. Idempotent; the ingress calls it when it starts. */
export async function prepareRunDir(runDir: string): Promise<void> {
  const user = ingressUser();
  const sockets = socketsDir(runDir);
  await mkdir(sockets, { recursive: true, mode: 0o700 });
  await chmod(runDir, user === undefined ? 0o700 : 0o711);
  if (user === undefined) return;
  await chown(sockets, 0, user.gid);
  await chmod(sockets, 0o1770);
}
