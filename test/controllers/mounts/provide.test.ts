/** Volumes of a workload, made for the moment in which its container is. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import {
  MountUnavailableError,
  checkHostMounts,
  provideMounts,
  type MountDeps,
} from '../../../controllers/mounts/provide.ts';
import { mostInProject } from '../../../specs/project.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { anId, aProject, aService, aVolume, given, memoryStore } from '../../support/store.ts';

const owner = { service: aService(), project: aProject() };
const data = [{ name: 'data', mount: '/data' }];

async function world() {
  const clock = new ManualClock();
  const store = await memoryStore([aProject(), aService()], clock);
  const engine = new FakeEngine(clock);
  const random = (bytes: number): Buffer => randomBytes(bytes);
  const deps: MountDeps = {
    ...{ store, engine, clock, random, nodeId: 'node', hostPaths: [] },
    hostPathFault: () => undefined,
  };
  return { store, engine, deps };
}

describe('a volume', () => {
  it('is made at the engine, and said to be there from then on', async () => {
    const { store, engine, deps } = await world();
    const [mount] = await provideMounts(data, owner, deps);
    const [volume] = await store.list('Volume', { owner: owner.project.id });
    const [made] = await engine.listVolumes({ 'svc.volume': volume?.id ?? '' });
    assert.deepEqual(mount, { volume: made?.name, target: '/data' });
    const [ready] = volume?.status.conditions ?? [];
    assert.deepEqual([ready?.type, ready?.status, ready?.reason], ['Ready', 'True', 'Present']);
  });

  it('is found again, also where a project has as many as it may have, and no other one is made then', async () => {
    const { store, deps } = await world();
    const others = Array.from({ length: mostInProject.Volume - 1 }, (_, n) =>
      aVolume({ id: anId('volume', n), spec: { service: `s${n}` } }),
    );
    await given(store, ...others);
    const first = await provideMounts(data, owner, deps);
    assert.deepEqual(await provideMounts(data, owner, deps), first);
    const more = provideMounts([{ name: 'more', mount: '/more' }], owner, deps);
    await assert.rejects(more, (error: unknown) => {
      assert.ok(error instanceof MountUnavailableError);
      assert.match(error.message, /has 500 volumes and gets no more: destroy one/);
      return true;
    });
  });
});

describe('a host path', () => {
  const media = { project: 'shop', name: 'media', path: '/srv/media', readOnly: true };
  const mounts = [{ host: 'media', mount: '/media' }];

  it('is mounted as it is allowed, and no longer once something else is in its place', async () => {
    const { deps } = await world();
    const allowed = { ...deps, hostPaths: [media] };
    const given = await provideMounts(mounts, owner, allowed);
    assert.deepEqual(given, [{ source: '/srv/media', target: '/media', readOnly: true }]);
    const swapped = { ...allowed, hostPathFault: () => '/srv/media is behind a symbolic link: write /etc' };
    await assert.rejects(provideMounts(mounts, owner, swapped), (error: unknown) => {
      assert.ok(error instanceof MountUnavailableError);
      assert.match(error.message, /host path media of project shop is not what was allowed any more/);
      assert.doesNotMatch(
        error.message,
        /\/etc|\/srv/,
        "where it is on the host is not the project's business",
      );
      return true;
    });
    await assert.rejects(provideMounts(mounts, owner, deps), /does not allow project shop/);
  });

  it('is looked at again when its container is started again; one that is no longer allowed stays there', () => {
    const fault = () => '/srv/media is behind a symbolic link: write /etc';
    const again = (hostPaths: (typeof media)[], hostPathFault: () => string | undefined) => () =>
      checkHostMounts(mounts, owner, { hostPaths, hostPathFault });
    assert.doesNotThrow(again([media], () => undefined));
    assert.throws(again([media], fault), MountUnavailableError);
    assert.doesNotThrow(again([], fault));
  });
});
