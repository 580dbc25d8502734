import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { mostUnderWay } from '../../../specs/job.ts';
import type { JobResource, RunResource } from '../../../specs/job-resources.ts';
import type { Page, ProjectResource } from '../../../specs/resources.ts';
import { bearer, giveMember, testApi, type TestApi } from '../../support/api.ts';
import { openStream } from '../../support/event-stream.ts';
import { eventually } from '../../support/eventually.ts';
import { aDeployment, aJob, anId, aProject, aRun, aService, given } from '../../support/store.ts';

const image = `sha256:${'a'.repeat(64)}`;
const ofImage = { project: 'shop', name: 'hello', image: 'busybox', command: ['echo', 'hello'] };

async function shop(t: TestContext): Promise<TestApi> {
  const api = await testApi(t);
  const rollout = { target: anId('deployment'), running: true, epoch: 0, configured: null };
  const workload = { ...aDeployment().spec.workload, env: { LEVEL: 'info' }, secrets: { KEY: 2 } };
  await given(
    api.store,
    aProject(),
    aService({ spec: { rollout }, status: { promoted: anId('deployment') } }),
    aDeployment({ spec: { workload }, status: { phase: 'Healthy', image } }),
  );
  return api;
}

const create = async (api: TestApi, fields: object = {}): Promise<JobResource> =>
  (await api.call('POST', '/v1/jobs', { ...ofImage, ...fields })).json<JobResource>();
const start = (api: TestApi, { id }: { id: string }) => api.call('POST', `/v1/jobs/${id}/runs`, {});

describe('POST /v1/jobs', () => {
  it('fills in what was left out, and answers the row', async (t) => {
    const api = await shop(t);
    const answer = await api.call('POST', '/v1/jobs', ofImage);
    assert.equal(answer.status, 201, answer.text);
    const job = answer.json<JobResource>();
    const {
      schedule,
      timezone,
      concurrency,
      deadline,
      retries,
      starting_deadline,
      keep,
      release,
      suspended,
    } = job;
    assert.deepEqual(
      { schedule, timezone, concurrency, deadline, retries, starting_deadline, keep, release, suspended },
      {
        ...{ schedule: null, timezone: 'UTC', concurrency: 'forbid', deadline: '1h', retries: 0 },
        ...{ starting_deadline: '10m', keep: { succeeded: 5, failed: 5 }, release: false, suspended: false },
      },
    );
    assert.deepEqual([job.last_run, job.next_run_at, job.project], [null, null, 'shop']);
    assert.equal((await api.call('POST', '/v1/jobs', ofImage)).status, 409);
  });

  const service_id = anId('service');
  const refusals: { what: string; body: object; path: string }[] = [
    { what: 'a schedule that is none', body: { schedule: 'every day' }, path: '/schedule' },
    { what: 'six fields', body: { schedule: '* * * * * *' }, path: '/schedule' },
    { what: 'a schedule that never comes', body: { schedule: '0 0 30 2 *' }, path: '/schedule' },
    { what: 'no time zone', body: { schedule: '0 0 * * *', timezone: 'Mars/Olympus' }, path: '/timezone' },
    { what: 'a hostile image', body: { image: '--privileged' }, path: '/image' },
    { what: 'both an image and a service', body: { service_id }, path: '/service_id' },
    { what: 'neither', body: { image: undefined }, path: '/image' },
    {
      what: 'a service of nobody',
      body: { image: undefined, service_id: anId('service', 9) },
      path: '/service_id',
    },
    {
      what: 'a service without a command',
      body: { image: undefined, service_id, command: undefined },
      path: '/command',
    },
    { what: 'a release job of an image', body: { release: true }, path: '/release' },
    {
      what: 'a release job with a schedule',
      body: { image: undefined, service_id, release: true, schedule: '0 0 * * *' },
      path: '/schedule',
    },
    { what: 'a variable that svc sets', body: { env: { SVC_RUN: 'x' } }, path: '/env/SVC_RUN' },
    { what: 'too little memory', body: { resources: { memory: '1Mi' } }, path: '/resources/memory' },
    { what: 'a deadline beyond a week', body: { deadline: '8d' }, path: '/deadline' },
    { what: 'no history at all', body: { keep: { failed: 0 } }, path: '/keep/failed' },
    { what: 'an unknown field', body: { shedule: '0 0 * * *' }, path: '/shedule' },
  ];
  for (const { what, body, path } of refusals) {
    it(`refuses ${what} at ${path}`, async (t) => {
      const api = await shop(t);
      const answer = await api.call('POST', '/v1/jobs', { ...ofImage, ...body });
      assert.equal(answer.status, 422, answer.text);
      assert.deepEqual(
        answer.problem().errors?.map((error) => error.path),
        [path],
        answer.text,
      );
      assert.deepEqual(await api.store.list('Job'), []);
    });
  }
});

describe('a job', () => {
  it('is changed by a merge patch; a new schedule counts from then on', async (t) => {
    const api = await shop(t);
    const job = await create(api, { env: { A: '1', B: '2' }, schedule: '0 0 * * *' });
    await api.clock.advance(60_000);
    const body = { env: { A: null, C: '3' }, schedule: '30 * * * *', resources: { cpus: 2 } };
    const changed = (await api.call('PATCH', `/v1/jobs/${job.id}`, body)).json<JobResource>();
    assert.deepEqual(
      [changed.env, changed.schedule, changed.resources.cpus, changed.resources.memory, changed.command],
      [{ B: '2', C: '3' }, '30 * * * *', 2, '512Mi', job.command],
    );
    const since = async () => (await api.store.get('Job', job.id))?.spec.scheduled_since;
    const first = await since();
    assert.equal(first, '2030-01-01T00:01:00.000Z');
    await api.clock.advance(60_000);
    await api.call('PATCH', `/v1/jobs/${job.id}`, { retries: 3 });
    assert.equal(await since(), first);
    const refused = await api.call('PATCH', `/v1/jobs/${job.id}`, { schedule: '61 * * * *' });
    assert.deepEqual(
      refused.problem().errors?.map(({ path }) => path),
      ['/schedule'],
    );
  });

  it('shows a Viewer the names of its variables only', async (t) => {
    const api = await shop(t);
    const job = await create(api, { env: { TOKEN: 'plain' } });
    const { token } = await giveMember(api, 'vic', { [anId('project')]: 'Viewer' });
    const seen = await api.call('GET', `/v1/jobs/${job.id}`, undefined, bearer(token));
    assert.deepEqual(seen.json<JobResource>().env, { TOKEN: '***' });
    const listed = await api.call('GET', '/v1/jobs?project=shop', undefined, bearer(token));
    assert.deepEqual(listed.json<Page<JobResource>>().items[0]?.env, { TOKEN: '***' });
  });

  it('takes no writes once its deletion was asked for, and keeps its project from going without cascade', async (t) => {
    const api = await shop(t);
    await api.store.write((writer) => writer.markDeleted('Service', anId('service')));
    const job = await create(api);
    const refused = await api.call('DELETE', `/v1/projects/${anId('project')}`);
    assert.equal(refused.status, 409);
    assert.match(refused.problem().detail, /owns jobs: hello\./);
    const deleted = await api.call('DELETE', `/v1/jobs/${job.id}`);
    assert.deepEqual([deleted.status, deleted.json<JobResource>().deleting], [202, true]);
    assert.equal((await start(api, job)).status, 409);
    assert.equal((await api.call('PATCH', `/v1/jobs/${job.id}`, { retries: 1 })).status, 409);
    const project = await api.call('DELETE', `/v1/projects/${anId('project')}`);
    assert.equal(project.json<ProjectResource>().deleting, true);
  });
});

describe('a run on demand', () => {
  it('freezes what its job and the deployment that serves are at that moment', async (t) => {
    const api = await shop(t);
    const job = await create(api, {
      image: undefined,
      service_id: anId('service'),
      env: { A: '1' },
      retries: 2,
    });
    const answer = await start(api, job);
    assert.equal(answer.status, 202, answer.text);
    const { id, status, trigger, deployment_id } = answer.json<RunResource>();
    assert.deepEqual([status, trigger, deployment_id], ['Pending', 'request', anId('deployment')]);
    await api.call('PATCH', `/v1/jobs/${job.id}`, { retries: 9, env: { A: '2' } });
    const { spec } = (await api.store.get('Run', id)) ?? assert.fail();
    assert.deepEqual(
      [spec.image, spec.env, spec.secrets, spec.retries],
      [image, { LEVEL: 'info', A: '1' }, { KEY: 2 }, 2],
    );
  });

  it('is refused while another is under way, replaces it, or goes beside it', async (t) => {
    const api = await shop(t);
    for (const { concurrency, status, stopped } of [
      { concurrency: 'forbid', status: 409, stopped: false },
      { concurrency: 'replace', status: 202, stopped: true },
      { concurrency: 'allow', status: 202, stopped: false },
    ]) {
      const job = await create(api, { name: concurrency, concurrency });
      const first = (await start(api, job)).json<RunResource>();
      assert.equal((await start(api, job)).status, status, concurrency);
      assert.equal((await api.store.get('Run', first.id))?.spec.stopped, stopped, concurrency);
    }
  });

  it('is refused while as many of its job are under way as the node bears', async (t) => {
    const api = await shop(t);
    const job = await create(api, { concurrency: 'allow' });
    const runs: RunResource[] = [];
    for (let count = 0; count < mostUnderWay; count++) runs.push((await start(api, job)).json());
    const refused = await start(api, job);
    assert.equal(refused.status, 429);
    assert.match(refused.problem().detail, /has 50 runs under way, and takes no more/);
    await api.store.patchStatus('Run', runs[0]?.id ?? '', 1, { phase: 'Succeeded' });
    assert.equal((await start(api, job)).status, 202);
  });

  it('is refused of a release job, and where nothing is deployed', async (t) => {
    const api = await shop(t);
    const ofService = { image: undefined, service_id: anId('service') };
    const release = await create(api, { ...ofService, name: 'migrate', release: true });
    assert.match((await start(api, release)).problem().detail, /is a release job/);
    const plain = await create(api, ofService);
    await api.store.patchStatus('Service', anId('service'), 1, { promoted: null });
    assert.match((await start(api, plain)).problem().detail, /Nothing is deployed/);
  });

  it('is stopped once, while it is under way', async (t) => {
    const api = await shop(t);
    const run = (await start(api, await create(api))).json<RunResource>();
    assert.equal((await api.call('POST', `/v1/runs/${run.id}/stop`, {})).status, 202);
    assert.equal((await api.store.get('Run', run.id))?.spec.stopped, true);
    await api.store.patchStatus('Run', run.id, 2, { phase: 'Stopped' });
    assert.equal((await api.call('POST', `/v1/runs/${run.id}/stop`, {})).status, 409);
    const runs = await api.call('GET', `/v1/jobs/${run.job_id}/runs?status=Stopped`);
    assert.deepEqual(
      runs.json<Page<RunResource>>().items.map(({ id }) => id),
      [run.id],
    );
  });
});

describe('the log of a run', () => {
  const at = '2030-01-01T00:00:00.000Z';
  const line = (number: number, text: string) =>
    ({ event: 'log', at, try: number, stream: 'stdout', line: text }) as const;

  async function printed(t: TestContext): Promise<TestApi> {
    const api = await shop(t);
    await given(api.store, aJob(), aRun({ status: { phase: 'Running' } }));
    const status = {
      event: 'status',
      at,
      status: 'Running',
      reason: 'Starting',
      message: 'Try 2 of 2.',
    } as const;
    api.logs.printRun(anId('run'), line(1, 'one'), status, line(2, 'two'));
    return api;
  }

  it('is what it printed, its tries apart', async (t) => {
    const api = await printed(t);
    const { text } = await api.call('GET', `/v1/runs/${anId('run')}/logs`);
    assert.equal(text, 'one\n--- try 2 ---\ntwo\n');
  });

  it('is streamed with its numbers, resumes, and ends with the exit code', async (t) => {
    const api = await printed(t);
    const stream = await openStream(api, `/v1/runs/${anId('run')}/logs/stream`, '1');
    await eventually(() => stream.events().length === 2);
    api.logs.printRun(anId('run'), line(2, 'three'));
    await api.store.patchStatus('Run', anId('run'), 1, { phase: 'Failed', reason: 'Exited', exit_code: 3 });
    await eventually(() => stream.ended());
    assert.deepEqual(stream.events(), ['2 status Running', '3 log two', '4 log three', '- end Failed']);
    assert.match(stream.text(), /data: \{"status":"Failed","reason":"Exited","exit_code":3\}/);
  });

  it('is hidden from who is no member', async (t) => {
    const api = await printed(t);
    const { token } = await giveMember(api, 'eve');
    for (const path of ['', '/logs', '/logs/stream'])
      assert.equal(
        (await api.call('GET', `/v1/runs/${anId('run')}${path}`, undefined, bearer(token))).status,
        404,
      );
  });
});
