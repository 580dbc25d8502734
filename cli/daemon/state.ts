/** What a node keeps: its data directory, locked; its key; its store, bound to the directory; uploads and logs. */
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import type { RotateNodeKey } from '../../api/ports.ts';
import { openNodeStore } from '../../api/store/node-store.ts';
import type { OpenStore } from '../../api/store/open.ts';
import { floorBytes } from '../../controllers/gc/disks.ts';
import { openUploads, type Uploads } from '../../controllers/build/uploads.ts';
import { openTagNotes, type TagNotes } from '../../controllers/engine/tags.ts';
import { openDeploymentLogs, type DeploymentLogs } from '../../controllers/logs/deployment-logs.ts';
import { openWorkloadLogs, type WorkloadLogs } from '../../controllers/logs/workload-logs.ts';
import { openRunLogs, type RunLogs } from '../../controllers/logs/run-logs.ts';
import type { Log } from '../../controllers/runtime/log.ts';
import type { Clock, Random } from '../../specs/clock.ts';
import { prepareDataDir, prepareRunDir } from './directories.ts';
import { nodeKeyRotation, readNodeKeys, settleNodeKey } from './node-key.ts';
import type { NodeSettings } from './settings.ts';

export interface State {
  dataDir: string;
  runDir: string;
  nodeId: string;
  /** Gives the node a new key. */
  rotateNodeKey: RotateNodeKey;
  store: OpenStore;
  uploads: Uploads;
  deploymentLogs: DeploymentLogs;
  workloadLogs: WorkloadLogs;
  runLogs: RunLogs;
  tagNotes: TagNotes;
}

export interface StateDeps {
  clock: Clock;
  random: Random;
  log: Log;
}

/** Opens everything, and puts closing it on the stack. Throws before it touches anything when the directory is in use. */
export async function openState(
  settings: NodeSettings,
  stack: AsyncDisposableStack,
  deps: StateDeps,
): Promise<State> {
  const { clock, random, log } = deps;
  const dataDir = resolve(settings.dataDir);
  await prepareDataDir(dataDir);
  const { databaseUrl } = settings;
  const opened = await openNodeStore({
    ...{ dataDir, databaseUrl, clock, random, log },
    readNodeKeys: () => readNodeKeys(dataDir, random),
  });
  stack.defer(() => opened.close());
  const { store, nodeId } = opened;
  const { vault, nodeKey } = store;
  await settleNodeKey(dataDir, nodeKey());
  const rotateNodeKey = nodeKeyRotation({ dataDir, vault, nodeKey, random });
  const runDir = await prepareRunDir(nodeId, process.env);
  await mkdir(join(dataDir, 'ingress'), { recursive: true, mode: 0o700 });

  const deploymentLogs = await openDeploymentLogs({ dir: join(dataDir, 'logs/deployments'), clock, log });
  stack.defer(() => deploymentLogs.close());
  const workloadLogs = await openWorkloadLogs({ dir: join(dataDir, 'logs/workloads'), clock, log });
  stack.defer(() => workloadLogs.close());
  const runLogs = await openRunLogs({ dir: join(dataDir, 'logs/runs'), clock, log });
  stack.defer(() => runLogs.close());
  // What stays free while one comes in, as before it may.
  const reserveBytes = await floorBytes(settings.diskFloor, dataDir);
  const uploads = await openUploads({ dir: join(dataDir, 'uploads'), limits: { reserveBytes } });
  await dropStrayUploads(uploads, store);
  const tagNotes = await openTagNotes(join(dataDir, 'tags'));
  const logs = { deploymentLogs, workloadLogs, runLogs };
  return { dataDir, runDir, nodeId, rotateNodeKey, store, uploads, ...logs, tagNotes };
}

/** Archives without a row: the node went down between staging one and writing that it is there. */
async function dropStrayUploads(uploads: Uploads, store: OpenStore): Promise<void> {
  for (const id of await uploads.sweep()) {
    if (!(await store.get('Upload', id))) await uploads.remove(id);
  }
}
