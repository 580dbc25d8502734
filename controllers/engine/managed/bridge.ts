/**
 * The bridge that builds of a private engine use. Not `docker0`: an engine takes that over where it finds it, together
 * with the addresses that the other engine gave out.
 */
import { readFile } from 'node:fs/promises';
import { EngineError } from '../engine.ts';
import type { Place } from './place.ts';
import { run, succeeds } from './run.ts';

/** May be called again and again. The engine gives it a range that the host has no route to. */
export async function ensureBridge({ buildBridge }: Pick<Place, 'buildBridge'>): Promise<void> {
  if (!(await links()).includes(buildBridge))
    await ip(['link', 'add', 'name', buildBridge, 'type', 'bridge']);
}

/** Removes every interface of this engine. */
export async function removeBridges({ interfaces }: Pick<Place, 'interfaces'>): Promise<void> {
  for (const link of await links()) if (link.startsWith(interfaces)) await ip(['link', 'delete', link]);
}

/** Names of all interfaces. From proc(5) and not sysfs, which may show those of another network namespace. */
async function links(): Promise<string[]> {
  const text = await readFile('/proc/net/dev', 'utf8');
  return [...text.matchAll(/^\s*([^\s:]+):/gm)].map(([, name = '']) => name);
}

/** Small systems have busybox in place of iproute2. */
async function ip(args: string[]): Promise<void> {
  const failed = await run('ip', args).catch((error: unknown) => error);
  if (failed === undefined || (await succeeds('busybox', ['ip', ...args]))) return;
  throw new EngineError('unavailable', 'The private engine needs a bridge: apt-get install iproute2', failed);
}
