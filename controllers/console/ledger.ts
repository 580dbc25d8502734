/**
 * The commands of consoles that may be running: a file for each in a directory of the run directory, made before its command
 * is started and gone once that has ended. A control plane that is killed leaves word of them to the next one that way. They
 * need not outlive a reboot: no command does.
 */
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { mkdir, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { LeftExec } from '../engine/exec.ts';

export interface Ledger {
  add(entry: LeftExec): Promise<void>;
  /** Succeeds when it is not there. */
  remove(mark: string): Promise<void>;
  /** Rejects with an error that names a file that is no entry. */
  list(): Promise<LeftExec[]>;
}

const text = Type.String({ minLength: 1 });
const Entry = Type.Object({ container: text, exec: text, mark: text }, { additionalProperties: false });

/** @param dir made unless it is there; nobody else writes into it */
export async function openLedger(dir: string): Promise<Ledger> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const fileOf = (mark: string) => join(dir, `${mark}.json`);
  const unfinished = (await readdir(dir)).filter((name) => !name.endsWith('.json'));
  for (const name of unfinished) await rm(join(dir, name));
  return {
    async add(entry) {
      const file = fileOf(entry.mark);
      // Whole or not there, wherever the process is killed.
      await writeFile(`${file}.new`, JSON.stringify(entry), { mode: 0o600 });
      await rename(`${file}.new`, file);
    },
    remove: (mark) => rm(fileOf(mark), { force: true }),
    async list() {
      const names = (await readdir(dir)).filter((name) => name.endsWith('.json'));
      const entries = await Promise.all(names.map((name) => read(join(dir, name))));
      return entries.filter((entry) => entry !== undefined);
    },
  };
}

/** Undefined when it has gone meanwhile. */
async function read(file: string): Promise<LeftExec | undefined> {
  try {
    const entry: unknown = JSON.parse(await readFile(file, 'utf8'));
    if (Value.Check(Entry, entry)) return entry;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    if (!(error instanceof SyntaxError)) throw error;
  }
  throw new Error(`${file} is no record of a console's command: remove it`);
}
