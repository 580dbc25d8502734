import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { it, type TestContext } from 'node:test';
import { promisify } from 'node:util';
import { createBuilds, type BuildsDeps } from '../../../controllers/build/builds.ts';
import { imageTag } from '../../../controllers/engine/names.ts';
import { GitError } from '../../../controllers/git/failure.ts';
import { Jobs } from '../../../controllers/runtime/jobs.ts';
import { createMasks } from '../../../specs/mask.ts';
import { scratchDir } from '../../support/archives.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { aDeployment, anId } from '../../support/store.ts';

const row = aDeployment();

interface World {
  /** Gets what is recorded. */
  digests?: string[];
  secrets?: readonly string[];
  clone?: BuildsDeps['clones']['clone'];
}

/** Builds at a fake engine. */
function setUp(t: TestContext, { secrets = [], clone, digests = [] }: World = {}) {
  const clock = new ManualClock();
  const engine = new FakeEngine(clock);
  const jobs = new Jobs<string>({
    clock,
    deadline: 1_000,
    grace: 10,
    concurrency: { clone: 3 },
    onSettled: () => undefined,
  });
  t.after(() => jobs.close());
  const log: string[] = [];
  const builds = createBuilds({
    ...{ jobs, engine, clock, nodeId: 'node', limits: { memoryBytes: 2 ** 20, cpus: 1 } },
    context: () => Promise.resolve({ stream: Readable.from([]), dockerfile: 'Dockerfile' }),
    log: (_, entry) => void log.push(entry.event === 'log' ? entry.line : entry.status),
    masks: createMasks((project) => (project === row.spec.project_id ? secrets : [])),
    clones: { clone: clone ?? (() => Promise.reject(new Error('nothing is cloned here'))) },
    recordCommit: () => Promise.resolve(),
    credentials: () => Promise.resolve(undefined),
    recordDigest: (_, digest) => Promise.resolve(void digests.push(digest)),
  });
  return { engine, builds, log };
}

/** A build that prints these lines, in a project with these secrets. @returns what is logged of it, once it is done */
async function logged(t: TestContext, lines: string[], secrets: readonly string[]): Promise<string[]> {
  const { engine, builds, log } = setUp(t, { secrets });
  engine.scriptBuild(imageTag(row), { lines });
  builds.start(row);
  await eventually(() => builds.find(row.id)?.state === 'done');
  return log;
}

it('logs what a build prints', async (t) => {
  assert.deepEqual(await logged(t, ['[1/1] RUN make', 'made'], []), ['[1/1] RUN make', 'made']);
});

it('logs no secret: not in an instruction, not whole, not split over lines', async (t) => {
  const lines = ['[1/1] RUN echo correct-horse', 'it is correct-horse', 'correct-', 'horse'];
  const shown = ['[1/1] RUN echo ***', 'it is ***', '***', '***'];
  assert.deepEqual(await logged(t, lines, ['correct-horse']), shown);
});

const git = {
  repo_url: 'git@git.example.com:x',
  git_ref: 'main',
  dockerfile_path: 'Dockerfile',
  context_path: '.',
};
const ofGit = (n: number, commit: string | null = null) =>
  aDeployment({ id: anId('deployment', n), spec: { source: { git } }, status: { commit } });

it('clones a Git source, at the commit that was settled, logs that, and clears up whatever comes of it', async (t) => {
  const dir = await scratchDir(t);
  await writeFile(join(dir, 'Dockerfile'), 'FROM x');
  await promisify(execFile)('tar', ['-cf', join(dir, 'x.tar'), '-C', dir, 'Dockerfile']);
  const asked: (string | null)[] = [];
  let open = 0;
  const { engine, builds, log } = setUp(t, {
    secrets: ['correct-horse'],
    clone({ commit, onLine }) {
      asked.push(commit);
      onLine('Commit correct-horse');
      open += 1;
      return Promise.resolve({
        commit: 'c',
        archives: [join(dir, 'x.tar')],
        objects: join(dir, 'lfs'),
        remove: () => Promise.resolve(void (open -= 1)),
      });
    },
  });
  const [good, bad] = [ofGit(7, 'abc'), ofGit(8)];
  engine.scriptBuild(imageTag(good), {});
  engine.scriptBuild(imageTag(bad), { fails: 'RUN false: exit code 1' });
  for (const one of [good, bad]) builds.start(one);
  await eventually(() => builds.find(good.id)?.state === 'done' && builds.find(bad.id)?.state === 'failed');
  assert.deepEqual(asked, ['abc', null]);
  assert.equal(open, 0);
  assert.ok(log.includes('Commit ***'));
});

it('gives the verdict on a clone as that of the build', async (t) => {
  const refused = new GitError('HostKeyChanged', 'The host key has changed.');
  const { builds } = setUp(t, { clone: () => Promise.reject(refused) });
  builds.start(ofGit(7));
  await eventually(() => builds.find(anId('deployment', 7))?.state === 'failed');
  assert.deepEqual(builds.find(anId('deployment', 7)), {
    ...{ state: 'failed', reason: 'HostKeyChanged', message: 'The host key has changed.', transient: false },
  });
});

it('lets no clone that stalls keep a build waiting', async (t) => {
  const stalled: BuildsDeps['clones']['clone'] = ({ signal }) =>
    new Promise((_, reject) => signal.addEventListener('abort', () => reject(signal.reason as Error)));
  const { engine, builds } = setUp(t, { clone: stalled });
  engine.scriptBuild(imageTag(row), {});
  builds.start(ofGit(7));
  builds.start(row);
  await eventually(() => builds.find(row.id)?.state === 'done');
  assert.deepEqual(builds.find(anId('deployment', 7)), { state: 'running' });
});

const ofImage = (n: number, image: string, digest: string | null = null) =>
  aDeployment({ id: anId('deployment', n), spec: { source: { image } }, status: { digest } });

it('pulls an external image, writes its digest down, and logs that without secrets', async (t) => {
  const digests: string[] = [];
  const { engine, builds, log } = setUp(t, { secrets: ['correct-horse'], digests });
  const digest = engine.registries.publish('ghcr.io/correct-horse/web:1');
  const one = ofImage(7, 'ghcr.io/correct-horse/web:1');
  builds.start(one);
  await eventually(() => builds.find(one.id)?.state === 'done');
  assert.deepEqual(builds.find(one.id), { state: 'done', image: await engine.findImage(imageTag(one)) });
  assert.deepEqual(digests, [digest]);
  assert.equal(log[0], `Pulling ${digest.replace('correct-horse', '***')}`);
});

it('gives the verdict on a pull as that of the build', async (t) => {
  const { builds } = setUp(t);
  builds.start(ofImage(7, 'ghcr.io/shop/none:1'));
  await eventually(() => builds.find(anId('deployment', 7))?.state === 'failed');
  const state = builds.find(anId('deployment', 7));
  assert.ok(state?.state === 'failed');
  assert.deepEqual([state.reason, state.transient], ['ImageNotFound', false]);
});

it('lets no registry that stalls keep a build waiting', async (t) => {
  const { engine, builds } = setUp(t);
  engine.registries.fail('ghcr.io', 'hangs');
  engine.scriptBuild(imageTag(row), {});
  builds.start(ofImage(7, 'ghcr.io/shop/web:1'));
  builds.start(row);
  await eventually(() => builds.find(row.id)?.state === 'done');
  assert.deepEqual(builds.find(anId('deployment', 7)), { state: 'running' });
});
