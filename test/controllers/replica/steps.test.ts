import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { MountUnavailableError } from '../../../controllers/mounts/provide.ts';
import type { Observed } from '../../../controllers/replica/observe.ts';
import { apply, type StepDeps } from '../../../controllers/replica/steps.ts';
import { SecretUnavailableError } from '../../../controllers/secrets/open.ts';
import type { ReplicaContainer } from '../../../controllers/engine/engine.ts';
import { SealedValueError, type SealedRef } from '../../../api/store/vault.ts';
import { aDeployment, aProject, aReplica, aService } from '../../support/store.ts';

const never = new AbortController().signal;

/** What is called, in order. */
function recorded(): { calls: string[]; deps: StepDeps } {
  const calls: string[] = [];
  const note = (call: string) => () => {
    calls.push(call);
    return Promise.resolve();
  };
  const deps = {
    engine: { startReplica: note('start'), inspectReplica: () => Promise.resolve({ startedAt: null }) },
    sockets: { prepare: note('prepare') },
  } as unknown as StepDeps;
  return { calls, deps };
}

const observed = (listen: 'tcp' | 'socket'): Observed => {
  const deployment = aDeployment();
  deployment.spec.workload.listen = listen;
  return { deployment, container: { id: 'c1' } } as Observed;
};

it('prepares the directory of a socket before every start: an earlier run or a reboot came between', async () => {
  for (const step of ['start', 'restart'] as const) {
    const { calls, deps } = recorded();
    await apply([{ do: step }], aReplica(), observed('socket'), deps, never);
    assert.deepEqual(calls, ['prepare', 'start']);
  }
});

it('makes no directory for a workload that listens on its port', async () => {
  const { calls, deps } = recorded();
  await apply([{ do: 'restart' }], aReplica(), observed('tcp'), deps, never);
  assert.deepEqual(calls, ['start']);
});

it('never starts a container whose host path leads elsewhere by now', async () => {
  for (const step of ['start', 'restart'] as const) {
    const { calls, deps } = recorded();
    const deployment = aDeployment();
    const volumes = [{ host: 'media', mount: '/media' }];
    deployment.spec = { ...deployment.spec, workload: { ...deployment.spec.workload, volumes } };
    const scene = { ...observed('tcp'), deployment, project: aProject() };
    const path = { project: aProject().name, name: 'media', path: '/srv/media', readOnly: true };
    const swapped = {
      ...deps,
      hostPaths: [path],
      hostPathFault: () => '/srv/media is behind a symbolic link',
    };
    await assert.rejects(apply([{ do: step }], aReplica(), scene, swapped, never), MountUnavailableError);
    assert.deepEqual(calls, []);
    await apply([{ do: step }], aReplica(), scene, { ...swapped, hostPathFault: () => undefined }, never);
    assert.deepEqual(calls, ['start']);
  }
});

describe('making a container', () => {
  /** Values by name and version. */
  const sealed: Record<string, string> = { 'TOKEN 2': 'abc$`"\n€ def', 'KEY 1': 'the key' };
  const open = ({ kind, owner, name, version }: SealedRef): Promise<string> => {
    assert.deepEqual([kind, owner], ['env', aService().id]);
    const value = sealed[`${name} ${version}`];
    if (value !== undefined) return Promise.resolve(value);
    return Promise.reject(
      new SealedValueError('missing', `Version ${version} of the secret ${name} is gone.`),
    );
  };

  async function created(secrets: Record<string, number>): Promise<ReplicaContainer> {
    const deployment = aDeployment();
    deployment.spec.workload = { ...deployment.spec.workload, env: { LOG_LEVEL: 'info' }, secrets };
    let made = undefined as ReplicaContainer | undefined;
    const deps = {
      vault: { open },
      engine: {
        createReplica: (spec: ReplicaContainer) => {
          made = spec;
          return Promise.resolve('c1');
        },
      },
      ...{ nodeId: 'node', socketsDir: '/run/sockets' },
    } as unknown as StepDeps;
    const family = { deployment, service: aService(), project: aProject() } as Observed;
    await apply([{ do: 'create' }], aReplica(), family, deps, never);
    assert.ok(made);
    return made;
  }

  it('puts secrets into its environment as they are, and nowhere else', async () => {
    const made = await created({ TOKEN: 2, KEY: 1 });
    assert.equal(made.env['TOKEN'], sealed['TOKEN 2']);
    assert.equal(made.env['KEY'], sealed['KEY 1']);
    assert.equal(made.env['LOG_LEVEL'], 'info');
    const rest = JSON.stringify({ ...made, env: {} });
    for (const value of Object.values(sealed)) assert.ok(!rest.includes(JSON.stringify(value).slice(1, -1)));
  });

  it('makes none when one of them cannot be had, and says which, why, and what to do', async () => {
    await assert.rejects(created({ TOKEN: 3, KEY: 1 }), (error: unknown) => {
      assert.ok(error instanceof SecretUnavailableError);
      assert.equal(
        error.message,
        'Version 3 of the secret TOKEN is gone. The command is: svc secrets set shop/web TOKEN',
      );
      return true;
    });
    await assert.rejects(created({ TOKEN: 3, KEY: 9 }), /These secrets cannot be had: KEY, TOKEN\. /);
  });

  it('is a fault of the pass, to be tried again, when the vault cannot be read at all', async () => {
    const broken = { open: () => Promise.reject(new Error('disk error')) };
    const deps = { vault: broken } as unknown as StepDeps;
    const deployment = aDeployment();
    deployment.spec.workload = { ...deployment.spec.workload, secrets: { TOKEN: 1 } };
    const family = { deployment, service: aService(), project: aProject() } as Observed;
    await assert.rejects(apply([{ do: 'create' }], aReplica(), family, deps, never), /disk error/);
  });
});
