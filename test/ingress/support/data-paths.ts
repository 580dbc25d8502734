/** A data path in this process: for what does not need processes. */
import type { TestContext } from 'node:test';
import { createDataPath, type DataPath } from '../../../ingress/worker/data-path.ts';
import type { Routes } from './replicas.ts';
import { sandbox, type Sandbox } from './sandbox.ts';

export interface Running extends Sandbox {
  dataPath: DataPath;
  /** What it would tell the control plane. */
  reports: string[];
  idle: string[];
  /** Swaps the routes. */
  route(routes: Routes): void;
}

export async function runDataPath(t: Pick<TestContext, 'after'>): Promise<Running> {
  const place = await sandbox(t);
  const [reports, idle]: [string[], string[]] = [[], []];
  const dataPath = createDataPath({
    report: (message) => reports.push(message),
    idle: (replica) => idle.push(replica),
  });
  await dataPath.listen([`127.0.0.1:${place.port}`]);
  t.after(() => dataPath.drain({ idle_ms: 0, limit_ms: 0 }));
  let revision = 0;
  const route = (routes: Routes): void => {
    revision += 1;
    dataPath.apply({ revision, ...routes });
  };
  return { ...place, dataPath, reports, idle, route };
}
