/** A node, a user in a tree that can be pushed, and what becomes of it. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';
import type { DeploymentStatus } from '../../specs/deployment.ts';
import type { DeploymentResource, Page } from '../../specs/resources.ts';
import { testApi, type TestApi, type TestApiOptions } from './api.ts';
import { cli, clockOf, listening, type Cli } from './cli.ts';

const at = '2030-01-01T00:00:00.000Z';
export const manifest = 'project = "shop"\nservice = "web"\n';

export interface PushWorld {
  api: TestApi;
  user: Cli;
}

interface PushWorldOptions extends TestApiOptions {
  files?: Record<string, string>;
  /** What becomes of every deployment. */
  ends?: Partial<DeploymentStatus>;
}

export async function pushWorld(
  test: TestContext,
  { files = {}, ends, ...options }: PushWorldOptions = {},
): Promise<PushWorld> {
  const api = await testApi(test, options);
  const user = await cli(test, { url: await listening(api), token: api.token, clock: clockOf(api) });
  for (const [name, text] of Object.entries({ '.svc': manifest, Dockerfile: 'FROM busybox\n', ...files })) {
    await mkdir(dirname(join(user.cwd, name)), { recursive: true });
    await writeFile(join(user.cwd, name), text);
  }
  if (ends) controller(api, ends);
  return { api, user };
}

const building = { phase: 'Building', reason: 'Building', message: 'The image is being built.' } as const;
const pulling = { phase: 'Building', reason: 'Pulling', message: 'The image is being pulled.' } as const;

/** Stands in for the deployment controller: builds or pulls, says so, and comes to the end that was asked for. */
function controller({ store, logs }: TestApi, ends: Partial<DeploymentStatus>): void {
  const statuses: Partial<DeploymentStatus>[] = [
    { phase: 'Starting', reason: 'WaitingForHealth', message: 'Waiting for the replica to answer /.' },
    ends,
  ];
  const carryOut = async (id: string) => {
    const isImage = 'image' in ((await store.get('Deployment', id))?.spec.source ?? {});
    for (const status of [isImage ? pulling : building, ...statuses]) {
      const { phase = 'Pending', reason = '', message = '' } = status;
      logs.append(id, { event: 'status', at, status: phase, reason, message });
      if (phase === 'Building')
        logs.append(id, {
          event: 'log',
          at,
          phase: 'build',
          stream: 'stdout',
          line: 'Step 1/1 : \u001b[1mFROM\u001b[0m busybox',
        });
      await store.patchStatus('Deployment', id, 1, status);
    }
  };
  store.onChange((change) => {
    if (change.kind === 'Deployment' && change.by === 'spec') void carryOut(change.id);
  });
}

export async function deploymentsOf({ api }: PushWorld): Promise<DeploymentResource[]> {
  return (await api.call('GET', '/v1/deployments')).json<Page<DeploymentResource>>().items;
}

/** The good end. */
export const healthy: Partial<DeploymentStatus> = {
  phase: 'Healthy',
  reason: 'Promoted',
  message: 'Serving.',
};
