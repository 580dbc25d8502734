/**
 * Node's compile cache for the members, one per program. A process that finds it filled never loads the type stripper,
 * which saves each of them 17 MiB for good. Only processes that are still root write it: it holds what root will run.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { loadOnly } from '../process-options.ts';
import type { Program } from './program.ts';

/** Milliseconds; usually it takes a tenth of a second. */
const fillWithin = 15_000;

export function compileCache(stateDir: string, { version }: Program): string {
  return join(stateDir, 'compile-cache', version);
}

/** Runs each entry point once just to load it, unless that was done. A cache that stays empty does no harm. */
export async function fillCompileCache(stateDir: string, program: Program): Promise<void> {
  const directory = compileCache(stateDir, program);
  if (existsSync(directory)) return;
  // Those of earlier programs.
  await rm(join(stateDir, 'compile-cache'), { recursive: true, force: true });
  for (const main of Object.values(program.main)) {
    const env = { NODE_COMPILE_CACHE: directory };
    const loading = spawn(process.execPath, [main, loadOnly], { env, stdio: 'ignore', timeout: fillWithin });
    await Promise.race([once(loading, 'exit'), once(loading, 'error')]);
  }
}
