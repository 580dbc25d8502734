/** What the members run, and its fingerprint: a process of another one is replaced. */
import { createHash } from 'node:crypto';
import { readdirSync, readFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Role } from '../protocol.ts';

export interface Program {
  /** Changes with the code and with Node. */
  version: string;
  /** Entry points. */
  main: Readonly<Record<Role, string>>;
}

/** The program of this installation: the files of this folder, as source or built. */
export function currentProgram(): Program {
  const root = join(import.meta.dirname, '..');
  const extension = extname(import.meta.filename);
  const hash = createHash('sha256').update(process.version);
  const files = readdirSync(root, { recursive: true, encoding: 'utf8' }).filter((file) =>
    file.endsWith(extension),
  );
  for (const file of files.sort()) hash.update(`\0${file}\0`).update(readFileSync(join(root, file)));
  return {
    version: hash.digest('hex').slice(0, 16),
    main: {
      worker: join(root, `worker/main${extension}`),
      bridge: join(root, `bridge/main${extension}`),
    },
  };
}
