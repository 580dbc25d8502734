/** What a node leaves on purpose when it stops, for its workloads go on: a test takes it away. */
import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { runDirOf } from '../../cli/daemon/directories.ts';
import { findSurvivors } from '../../ingress/supervisor/survivors.ts';
import { engineCall } from './http-answer.ts';

const kinds = [
  { list: '/containers/json?all=1&', remove: (id: string) => `/containers/${id}?force=1&v=1` },
  { list: '/networks?', remove: (id: string) => `/networks/${id}` },
  { list: '/images/json?', remove: (id: string) => `/images/${id}?force=1` },
] as const;

/** Ends what a killed control plane left running, and removes what the node has at the engine and in its run directory. */
export async function removeTraces(endpoint: string, dataDir: string): Promise<void> {
  const nodeId = (await readFile(join(dataDir, 'node.id'), 'utf8').catch(() => '')).trim();
  if (nodeId === '') return;
  const runDir = runDirOf(nodeId, process.env);
  for (const { pid } of findSurvivors(runDir)) process.kill(pid, 'SIGKILL');
  const filters = encodeURIComponent(JSON.stringify({ label: [`svc.node=${nodeId}`] }));
  for (const { list, remove } of kinds) {
    const { text } = await engineCall(endpoint, 'GET', `${list}filters=${filters}`);
    for (const { Id } of JSON.parse(text) as { Id: string }[])
      await engineCall(endpoint, 'DELETE', remove(Id));
  }
  // Of images that it had pulled: they carry no label.
  for (const name of await readdir(join(dataDir, 'tags')).catch(() => []))
    await engineCall(endpoint, 'DELETE', `/images/${decodeURIComponent(name)}`);
  await rm(runDir, { recursive: true, force: true });
}
