/** Takes things down again: the private engine at Ctrl-C, everything that the quickstart made on request. */
import { readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { systemClock as clock } from '../../controllers/runtime/system-clock.ts';
import { runDirOf } from '../daemon/directories.ts';
import { managedEngine } from '../daemon/engine.ts';
import { createLog } from '../daemon/log.ts';
import { answers, call } from './engine-api.ts';
import { stopNode } from './node.ts';
import type { Place } from './place.ts';

interface Labelled {
  Id: string;
}

/** Removes all of it. @param engine endpoint that the node used; undefined when that is not known */
export async function clean(place: Place, engine: string | undefined): Promise<void> {
  await stopNode(place);
  const nodeId = await nodeIdOf(place);
  if (nodeId !== undefined) {
    if (engine !== undefined && (await answers(engine))) await removeLabelled(engine, nodeId);
    await stopManagedEngine(place);
    await rm(runDirOf(nodeId, process.env), { recursive: true, force: true });
  }
  await rm(dirname(place.dataDir), { recursive: true, force: true });
}

async function nodeIdOf({ dataDir }: Place): Promise<string | undefined> {
  const text = await readFile(join(dataDir, 'node.id'), 'utf8').catch(() => '');
  return text.trim() || undefined;
}

/** The private engine outlives `svc serve` on purpose; here it is to go as well. Does nothing when there is none. */
export async function stopManagedEngine(place: Place): Promise<void> {
  const nodeId = await nodeIdOf(place);
  if (nodeId === undefined || process.getuid?.() !== 0) return;
  const runDir = runDirOf(nodeId, process.env);
  await managedEngine({ dataDir: place.dataDir, runDir, clock, log: createLog('error') }).stop();
}

async function removeLabelled(engine: string, nodeId: string): Promise<void> {
  const filters = encodeURIComponent(JSON.stringify({ label: [`svc.node=${nodeId}`] }));
  const kinds = [
    ['/containers/json?all=1&', '/containers/', '?force=1'],
    ['/networks?', '/networks/', ''],
    ['/images/json?', '/images/', '?force=1'],
  ] as const;
  for (const [list, one, force] of kinds) {
    const { text } = await call(engine, 'GET', `${list}filters=${filters}`);
    for (const { Id } of JSON.parse(text) as Labelled[])
      await call(engine, 'DELETE', `${one}${Id}${force}`, { timeout: 30_000 });
  }
}
