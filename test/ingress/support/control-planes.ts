/** Control planes in processes of their own, to be killed; and what tests do around them. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import type { WorkerState } from '../../../ingress/index.ts';
import { findSurvivors } from '../../../ingress/supervisor/survivors.ts';
import type { Load } from './client.ts';
import type { ControlPlaneOptions } from './control-plane.ts';
import { httpReplica, routesTo, type Routes } from './replicas.ts';
import { until, type Sandbox } from './sandbox.ts';

/** A service `web` with one replica that says its name. */
export async function web(t: TestContext, { runDir }: Sandbox, name: string): Promise<Routes> {
  const socket = join(runDir, name);
  await httpReplica(t, socket, (_, res) => res.end(name));
  return routesTo({ web: { [name]: socket } });
}

export async function flow(load: Load, count: number): Promise<void> {
  const from = load.done();
  await until(`${count} more answers`, () => load.done() >= from + count || load.failures.length > 0);
}

export function bridgePid({ runDir }: Sandbox): number {
  return findSurvivors(runDir).find(({ options }) => options.role === 'bridge')?.pid ?? 0;
}

export interface Started {
  child: ChildProcess;
  revision: number;
  workers: WorkerState[];
}

/** A control plane in a process of its own. What it leaves behind is ended after the test. */
export async function controlPlane(t: TestContext, options: ControlPlaneOptions): Promise<Started> {
  const script = join(import.meta.dirname, 'control-plane.ts');
  const child = spawn(process.execPath, [script, JSON.stringify(options)], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  t.after(async () => {
    await kill(child);
    for (const { pid } of findSurvivors(options.place.runDir)) process.kill(pid, 'SIGKILL');
  });
  const [line] = (await once(child.stdout, 'data')) as [Buffer];
  return { child, ...(JSON.parse(line.toString()) as Omit<Started, 'child'>) };
}

export async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  child.kill('SIGKILL');
  await once(child, 'exit');
}
