import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { it, type TestContext } from 'node:test';
import { createBuilds } from '../../../controllers/build/builds.ts';
import { imageTag } from '../../../controllers/engine/names.ts';
import { Jobs } from '../../../controllers/runtime/jobs.ts';
import { createMasks } from '../../../specs/mask.ts';
import { eventually } from '../../support/eventually.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { aDeployment } from '../../support/store.ts';

const row = aDeployment();

/** A build that prints these lines, in a project with these secrets. @returns what is logged of it, once it is done */
async function logged(t: TestContext, lines: string[], secrets: readonly string[]): Promise<string[]> {
  const clock = new ManualClock();
  const engine = new FakeEngine(clock);
  const jobs = new Jobs<string>({ clock, deadline: 1_000, grace: 10, onSettled: () => undefined });
  t.after(() => jobs.close());
  const log: string[] = [];
  const builds = createBuilds({
    ...{ jobs, engine, clock, nodeId: 'node', limits: { memoryBytes: 2 ** 20, cpus: 1 } },
    context: () => Promise.resolve({ stream: Readable.from([]), dockerfile: 'Dockerfile' }),
    log: (_, entry) => void log.push(entry.event === 'log' ? entry.line : entry.status),
    masks: createMasks((project) => (project === row.spec.project_id ? secrets : [])),
  });
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
