/** Puts certificates and their keys where the workers read them, and takes away what no snapshot names any longer. */
import { randomBytes } from 'node:crypto';
import { chmod, chown, mkdir, open, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { certificatePath, certificatesDir, type CertificatePair } from '../certificate-files.ts';
import type { User } from '../run-dir.ts';

const suffix = '.pem';

export interface CertificateStore {
  /** Makes the directory, and looks up what an earlier control plane left there. */
  prepare(): Promise<void>;
  has(id: string): boolean;
  /** Atomic: a worker reads all of it or nothing. Does nothing when it is there. */
  install(id: string, pair: CertificatePair): Promise<void>;
  /** Removes all others. */
  retain(wanted: (id: string) => boolean): Promise<void>;
}

/** @param user of the workers; undefined: the same as ours */
export function certificateStore(runDir: string, user: User | undefined): CertificateStore {
  const directory = certificatesDir(runDir);
  const there = new Set<string>();
  // One at a time: what is being removed must not be what was just put there.
  let last: Promise<unknown> = Promise.resolve();
  const inTurn = <T>(work: () => Promise<T>): Promise<T> => {
    const done = last.then(work);
    last = done.catch(() => undefined);
    return done;
  };
  const write = async (id: string, { chain, key }: CertificatePair): Promise<void> => {
    if (there.has(id)) return;
    const path = certificatePath(runDir, id);
    const temporary = join(directory, `.${randomBytes(8).toString('hex')}`);
    // A reboot empties the directory, so nothing is gained by waiting for the disk.
    const file = await open(temporary, 'wx', 0o600);
    try {
      await file.writeFile(`${chain.trimEnd()}\n${key.trimEnd()}\n`);
      if (user !== undefined) await file.chown(user.uid, user.gid);
    } finally {
      await file.close();
    }
    await rename(temporary, path);
    there.add(id);
  };
  const remove = async (wanted: (id: string) => boolean): Promise<void> => {
    for (const id of [...there]) {
      if (wanted(id)) continue;
      there.delete(id);
      await rm(certificatePath(runDir, id), { force: true });
    }
  };
  return {
    async prepare() {
      await mkdir(directory, { recursive: true, mode: 0o700 });
      // The workers pass, and can neither list nor write.
      await chmod(directory, user === undefined ? 0o700 : 0o710);
      if (user !== undefined) await chown(directory, 0, user.gid);
      for (const name of await readdir(directory)) {
        if (name.endsWith(suffix)) there.add(name.slice(0, -suffix.length));
        // Half of a file, of a control plane that was killed.
        else await rm(join(directory, name), { force: true });
      }
    },
    has: (id) => there.has(id),
    install: (id, pair) => inTurn(() => write(id, pair)),
    retain: (wanted) => inTurn(() => remove(wanted)),
  };
}
