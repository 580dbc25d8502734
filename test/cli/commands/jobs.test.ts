import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { JobStatus, RunStatus } from '../../../specs/job.ts';
import { testApi, type TestApi } from '../../support/api.ts';
import { cli, clockOf, listening, type Cli } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { aDeployment, aJob, anId, aProject, aRun, aService, given } from '../../support/store.ts';

const at = '2030-01-01T00:00:00.000Z';

interface World {
  api: TestApi;
  user: Cli;
}

async function aWorld(t: TestContext): Promise<World> {
  const api = await testApi(t);
  await given(
    api.store,
    aProject(),
    aService({ status: { promoted: anId('deployment') } }),
    aDeployment({ status: { phase: 'Healthy', image: 'sha256:a' } }),
  );
  return { api, user: await cli(t, { url: await listening(api), token: api.token, clock: clockOf(api) }) };
}

const specOf = async ({ api }: World) =>
  (await api.store.list('Job'))[0]?.spec ?? assert.fail('there is no job');

describe('svc jobs create', () => {
  it('takes the command after --, and every flag to its field', async (t) => {
    const world = await aWorld(t);
    const flags = ['--schedule', '0 3 * * *', '--timezone', 'Europe/Berlin', '--concurrency', 'replace'];
    const limits = [
      '--deadline',
      '5m',
      '--starting-deadline',
      '1m',
      '--retries',
      '2',
      '--memory',
      '64Mi',
      '--cpus',
      '0.5',
    ];
    const command = ['--', 'sh', '-c', 'echo $A --release'];
    const { code, stdout, stderr } = await world.user.svc(
      ...['jobs', 'create', 'cleanup', '-p', 'shop', '--image', 'busybox', '--env', 'A=1'],
      ...[...flags, ...limits, ...command],
    );
    assert.deepEqual([code, stdout], [0, 'job/shop/cleanup created\n'], stderr);
    const spec = await specOf(world);
    assert.deepEqual(
      [
        spec.image,
        spec.schedule,
        spec.timezone,
        spec.concurrency,
        spec.deadline,
        spec.starting_deadline,
        spec.retries,
      ],
      ['busybox', '0 3 * * *', 'Europe/Berlin', 'replace', '5m', '1m', 2],
    );
    assert.deepEqual(
      [spec.resources.memory, spec.resources.cpus, spec.env, spec.command, spec.release],
      ['64Mi', 0.5, { A: '1' }, ['sh', '-c', 'echo $A --release'], false],
    );
  });

  it('finds the service by its name', async (t) => {
    const world = await aWorld(t);
    const argv = ['jobs', 'create', 'shop/migrate', '--service', 'web', '--release', '--', './migrate'];
    assert.equal((await world.user.svc(...argv)).code, 0);
    const { service_id, release, image } = await specOf(world);
    assert.deepEqual([service_id, release, image], [anId('service'), true, null]);
  });

  it('says what is missing or wrong before it asks the node', async (t) => {
    const { user } = await aWorld(t);
    const create = (...argv: string[]) => user.svc('jobs', 'create', 'shop/x', ...argv);
    const cases: [string[], RegExp][] = [
      [['--', 'true'], /Give one of --image REFERENCE and --service NAME/],
      [['--image', 'a', '--service', 'web', '--', 'true'], /Give one of/],
      [['--service', 'web'], /Write it after --/],
      [['--image', 'a', '--concurrency', 'forbit'], /not "forbit"\. Did you mean "forbid"/],
      [['--image', 'a', '--retries', 'often'], /--retries takes a whole number/],
      [['--image', 'a', '--cpus', 'two'], /--cpus takes a number/],
    ];
    for (const [argv, message] of cases) {
      const { code, stderr } = await create(...argv);
      assert.equal(code, 2, argv.join(' '));
      assert.match(stderr, message);
    }
    const refused = await create('--image', 'a', '--schedule', '61 * * * *', '--', 'true');
    assert.equal(refused.code, 5);
    assert.match(refused.stderr, /schedule is no schedule.*: write five fields/);
  });
});

describe('svc jobs', () => {
  it('lists schedules, next runs and last ones, and describes them', async (t) => {
    const { api, user } = await aWorld(t);
    const status: Partial<JobStatus> = { next_at: '2030-01-01T03:00:00.000Z' };
    await given(
      api.store,
      aJob({ spec: { schedule: '0 3 * * *', timezone: 'Europe/Berlin' }, status }),
      aJob({
        id: anId('job', 2),
        name: 'migrate',
        spec: { service_id: anId('service'), image: null, release: true },
      }),
      aRun({ status: { phase: 'Succeeded', exit_code: 0, tries: 1 } }),
    );
    const { stdout } = await user.svc('jobs', 'list', '-p', 'shop');
    assert.equal((await user.svc('jobs', '-p', 'shop')).stdout, stdout);
    assert.match(stdout, /shop +cleanup +0 3 \* \* \* Europe\/Berlin +in 3h +Succeeded 0s ago/);
    assert.match(stdout, /shop +migrate +before every release +- +never/);
    const described = await user.svc('describe', 'job', 'shop/cleanup');
    assert.match(described.stdout, /Next run: +2030-01-01T03:00:00\.000Z \(in 3h\)/);
    assert.match(described.stdout, /Succeeded +Queued +0 +1/);
    const ofService = await user.svc('describe', 'job', 'shop/migrate');
    assert.match(ofService.stdout, /Runs in: +what service shop\/web runs\n/);
    const runs = await user.svc('get', 'runs', '-p', 'shop', '-o', 'name');
    assert.equal(runs.stdout, `run/${anId('run')}\n`);
    const named = await user.svc('runs', 'describe', runs.stdout.trim());
    assert.match(named.stdout, /^Exit code: +0$/m, named.stderr);
    assert.equal((await user.svc('runs', 'logs', runs.stdout.trim())).code, 0);
    assert.match(
      (await user.svc('get', 'jobs', 'nothing', '-p', 'shop')).stderr,
      /There is no job "nothing"/,
    );
  });

  it('changes what flags name, and nothing else', async (t) => {
    const world = await aWorld(t);
    const { api, user } = world;
    await given(api.store, aJob({ spec: { schedule: '0 3 * * *', env: { A: '1' } } }));
    const update = (...argv: string[]) => user.svc('jobs', 'update', 'shop/cleanup', ...argv);
    assert.equal((await update('--suspend', '--env', 'B=2', '--unset-env', 'A')).code, 0);
    const { suspended, env, schedule, command } = await specOf(world);
    assert.deepEqual([suspended, env, schedule, command], [true, { B: '2' }, '0 3 * * *', ['true']]);
    assert.equal((await update('--on-demand', '--resume', '--', 'ls', '-l')).code, 0);
    const after = await specOf(world);
    assert.deepEqual([after.suspended, after.schedule, after.command], [false, null, ['ls', '-l']]);
    assert.equal((await update()).code, 2);
  });
});

describe('svc jobs run --follow', () => {
  /** Stands in for the controller: prints, and ends every run so. */
  function carryOut({ api }: World, end: Partial<RunStatus>): void {
    api.store.onChange(({ kind, id, by }) => {
      if (kind !== 'Run' || by !== 'spec') return;
      const line = { event: 'log', at, try: 1 } as const;
      api.logs.printRun(
        id,
        { ...line, stream: 'stdout', line: 'out \u001b[2J' },
        { ...line, stream: 'stderr', line: 'err' },
      );
      void api.store.patchStatus('Run', id, 1, end);
    });
  }

  const ends: { end: Partial<RunStatus>; code: number }[] = [
    { end: { phase: 'Succeeded', reason: 'Succeeded', exit_code: 0 }, code: 0 },
    {
      end: { phase: 'Failed', reason: 'Exited', message: 'Its command ended with code 42.', exit_code: 42 },
      code: 42,
    },
    { end: { phase: 'Failed', reason: 'StartFailed', message: 'No such user.', exit_code: null }, code: 1 },
    { end: { phase: 'Failed', reason: 'DeadlineExceeded', message: 'Too long.', exit_code: 0 }, code: 1 },
  ];
  for (const { end, code } of ends) {
    it(`ends with ${code} where the run ended ${end.phase} (${end.reason}) with ${end.exit_code}`, async (t) => {
      const world = await aWorld(t);
      await given(world.api.store, aJob());
      carryOut(world, end);
      const ran = await world.user.svc('jobs', 'run', 'shop/cleanup', '--follow');
      assert.equal(ran.code, code, ran.stderr);
      assert.equal(ran.stdout, 'out \n');
      assert.match(ran.stderr, /^err$/m);
      assert.equal(
        ran.stderr.includes(`svc: Failed (${end.reason}): ${end.message}`),
        end.phase === 'Failed',
      );
    });
  }

  it('leaves the run going when the user leaves', async (t) => {
    const world = await aWorld(t);
    await given(world.api.store, aJob());
    const going = world.user.start('jobs', 'run', 'shop/cleanup', '--follow');
    await eventually(async () => (await world.api.store.list('Run')).length === 1);
    const [run] = await world.api.store.list('Run');
    world.api.logs.printRun(run?.id ?? '', { event: 'log', at, try: 1, stream: 'stdout', line: 'up' });
    await eventually(() => going.stdout() === 'up\n');
    going.interrupt();
    const { code, stderr } = await going.outcome;
    assert.equal(code, 130);
    assert.match(stderr, /Detached: the run goes on\.\nFollow it with: svc runs logs run_/);
    assert.equal((await world.api.store.list('Run'))[0]?.spec.stopped, false);
  });
});
