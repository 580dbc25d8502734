/** On directories that look like cgroups; build.test.ts has the kernel's own. */
import assert from 'node:assert/strict';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, it } from 'node:test';
import { BuildCap } from '../../../../controllers/engine/docker/build-cap.ts';
import { temporaryDirectory } from '../../../support/temporary-directory.ts';

const MiB = 2 ** 20;
const group = 'parent/buildkit';
let root: string;

function file(path: string, text = ''): void {
  mkdirSync(join(root, path, '..'), { recursive: true });
  writeFileSync(join(root, path), text);
}

const read = (path: string) => readFileSync(join(root, path), 'utf8');

beforeEach(() => (root = temporaryDirectory()));

describe('BuildCap on cgroup v1', () => {
  beforeEach(() => {
    file('memory/memory.limit_in_bytes');
    file(`memory/${group}/memory.use_hierarchy`, '1\n');
    file(`memory/${group}/memory.memsw.limit_in_bytes`, '9223372036854771712');
    file(`cpuacct/${group}/cpuacct.usage`, '1000\n');
  });

  const limits = () => ({
    memory: read(`memory/${group}/memory.limit_in_bytes`),
    swap: read(`memory/${group}/memory.memsw.limit_in_bytes`),
    cpu: read(`cpu/${group}/cpu.cfs_quota_us`),
    pids: read(`pids/${group}/pids.max`),
  });
  const lifted = { memory: '-1', swap: '-1', cpu: '-1', pids: 'max' };

  it('limits the builds that run together and lifts the limit after the last', async () => {
    const cap = new BuildCap('parent', root);
    const first = await cap.acquire({ memoryBytes: 64 * MiB, cpus: 0.5 });
    assert.deepEqual(limits(), {
      memory: String(64 * MiB),
      swap: String(64 * MiB),
      cpu: '50000',
      pids: '8192',
    });
    const second = await cap.acquire({ memoryBytes: 64 * MiB, cpus: 1 });
    assert.deepEqual(limits(), {
      memory: String(128 * MiB),
      swap: String(128 * MiB),
      cpu: '150000',
      pids: '8192',
    });
    await first?.(false);
    assert.deepEqual(limits(), {
      memory: String(64 * MiB),
      swap: String(64 * MiB),
      cpu: '100000',
      pids: '8192',
    });
    await second?.(false);
    assert.deepEqual(limits(), lifted);
  });

  it('is not to be had where the memory of children is not counted', async () => {
    file(`memory/${group}/memory.use_hierarchy`, '0\n');
    assert.equal(await new BuildCap('parent', root).acquire({ memoryBytes: MiB, cpus: 1 }), undefined);
  });

  it('is not to be had any more once a command ran and did not run under it', async () => {
    const cap = new BuildCap('parent', root);
    const held = await cap.acquire({ memoryBytes: MiB, cpus: 1 });
    file(`cpuacct/${group}/cpuacct.usage`, '2000\n');
    await held?.(true);
    assert.equal(await cap.isPossible(), true);
    const missed = await cap.acquire({ memoryBytes: MiB, cpus: 1 });
    await missed?.(true);
    assert.equal(await cap.isPossible(), false);
    assert.equal(await cap.acquire({ memoryBytes: MiB, cpus: 1 }), undefined);
    assert.deepEqual(limits(), lifted);
  });
});

describe('BuildCap on cgroup v2', () => {
  beforeEach(() => {
    file('cgroup.controllers', 'cpu memory pids\n');
    for (const level of ['.', 'parent']) file(`${level}/cgroup.subtree_control`);
    file(`${group}/memory.swap.max`, 'max\n');
    file(`${group}/cpu.stat`, 'usage_usec 17\nuser_usec 3\n');
  });

  it('hands the controllers down, limits and lifts', async () => {
    const cap = new BuildCap('parent', root);
    const lift = await cap.acquire({ memoryBytes: 64 * MiB, cpus: 0.5 });
    for (const level of ['.', 'parent'])
      assert.equal(read(`${level}/cgroup.subtree_control`), '+memory +cpu +pids');
    const names = ['memory.max', 'memory.swap.max', 'cpu.max', 'pids.max'];
    assert.deepEqual(
      names.map((name) => read(`${group}/${name}`)),
      [String(64 * MiB), '0', '50000 100000', '8192'],
    );
    await lift?.(false);
    assert.deepEqual(
      names.map((name) => read(`${group}/${name}`).trim()),
      ['max', 'max', 'max 100000', 'max'],
    );
  });
});

describe('BuildCap where there are no cgroups', () => {
  it('is not to be had', async () => {
    const cap = new BuildCap('parent', root);
    assert.equal(await cap.isPossible(), false);
    assert.equal(await cap.acquire({ memoryBytes: MiB, cpus: 1 }), undefined);
  });
});
