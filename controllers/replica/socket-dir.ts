/** The directory that a `listen: socket` workload owns: it lies in one that only the node reaches. */
import { chmod, mkdir, readdir, rm } from 'node:fs/promises';
import { join } from 'node:path';

export interface SocketDirs {
  /**
   * Makes it, or empties it: a program that finds the socket of a run that was killed cannot listen (EADDRINUSE). Follows
   * no link. Only while nothing of the workload runs.
   */
  prepare(replicaId: string): Promise<void>;
  remove(replicaId: string): Promise<void>;
}

/** @param socketsDir 0700; who cannot pass it reaches nothing below, whatever a workload allows there */
export function socketDirs(socketsDir: string): SocketDirs {
  return {
    async prepare(replicaId) {
      const path = join(socketsDir, replicaId);
      await mkdir(path, { recursive: true });
      for (const name of await readdir(path)) await rm(join(path, name), { recursive: true, force: true });
      // The workload may run as any user of its image and must be able to make its socket here.
      await chmod(path, 0o777);
    },
    remove: (replicaId) => rm(join(socketsDir, replicaId), { recursive: true, force: true }),
  };
}
