/** Directories and ports of one test, gone after it. */
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { Clock } from '../../../specs/clock.ts';
import { freePort } from '../../support/free-port.ts';

export const realClock: Clock = {
  now: () => Date.now(),
  after(ms, fn) {
    const timer = setTimeout(fn, ms);
    return () => clearTimeout(timer);
  },
};

export interface Sandbox {
  stateDir: string;
  runDir: string;
  port: number;
}

/** The members' compile cache is shared by all tests: filling it takes most of a first start. */
const sharedCache = join(import.meta.dirname, '../../../node_modules/.cache/ingress-compile-cache');

export async function sandbox(t: Pick<TestContext, 'after'>): Promise<Sandbox> {
  const root = await mkdtemp(join(tmpdir(), 'svc-i-'));
  // As root the members become somebody else, who has to get through here.
  await chmod(root, 0o711);
  t.after(() => rm(root, { recursive: true, force: true }));
  const [stateDir, runDir] = [join(root, 'state'), join(root, 'run')];
  await mkdir(stateDir, { mode: 0o700 });
  await mkdir(runDir);
  if (!existsSync(sharedCache)) await mkdir(sharedCache, { recursive: true });
  await symlink(sharedCache, join(stateDir, 'compile-cache'));
  return { stateDir, runDir, port: await freePort() };
}

/** Waits until it holds. Rejects after the limit (milliseconds) with what was waited for. */
export async function until(
  what: string,
  holds: () => boolean | Promise<boolean>,
  limit = 10_000,
): Promise<void> {
  const end = Date.now() + limit;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`waited in vain for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}

export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
}
