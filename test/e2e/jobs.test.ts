/** Jobs on a real engine, as a user runs them: output and exit codes, limits, retries, migrations, and a node that dies. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { JobResource, RunResource } from '../../specs/job-resources.ts';
import type { Page, ServiceResource } from '../../specs/resources.ts';
import { app, serving, type App } from '../support/apps.ts';
import { must, startNode, until, type Ran, type TestNode } from '../support/node.ts';
import { callApi, containersOf, createService, deploymentsOf, fromApi } from '../support/node-api.ts';
import { engineCall } from '../support/http-answer.ts';

let node: TestNode;
let web: App;
let service: ServiceResource;

before(async () => {
  node = await startNode();
  service = await createService(node, { name: 'web', env: { GREETING: 'from the service' } });
  web = await app('demo/web', { Dockerfile: serving, 'www/index.html': 'one' });
});

after(async () => {
  await node.stop();
  await web.remove();
});

const shell = (line: string): string[] => ['--', 'sh', '-c', line];
const svc = (...args: string[]): Promise<Ran> => node.svc(args);
/** Of busybox, on demand. */
const create = (name: string, line: string, ...flags: string[]): Promise<Ran> =>
  must(svc('jobs', 'create', `demo/${name}`, '--image', 'busybox', ...flags, ...shell(line)));
const runsOf = async (name: string): Promise<RunResource[]> => {
  const jobs = await fromApi<Page<JobResource>>(node, 'GET', `/v1/jobs?project=demo&name=${name}`);
  const id = jobs.items[0]?.id ?? '';
  return (await fromApi<Page<RunResource>>(node, 'GET', `/v1/jobs/${id}/runs`)).items;
};
const newest = async (name: string): Promise<RunResource> => {
  const [run] = await runsOf(name);
  assert.ok(run, `${name} has no run`);
  return run;
};
const textOf = async (id: string): Promise<string> =>
  (await callApi(node, 'GET', `/v1/runs/${id}/logs`)).text;
const containersOfRun = (id: string) => containersOf(node, { 'svc.run': id });

/** The newest run of a job, once it is over. */
function over(name: string): Promise<RunResource> {
  return until(`the run of ${name} is over`, async () => {
    const [run] = await runsOf(name);
    return run !== undefined && run.finished_at !== null && run;
  });
}

describe('a run', () => {
  it('is followed to its end: its output, stream by stream, and its exit code', async () => {
    await create('speaks', 'echo out; echo err >&2; exit 7');
    const { code, stdout, stderr } = await svc('jobs', 'run', 'demo/speaks', '--follow');
    assert.equal(code, 7, stderr);
    assert.equal(stdout, 'out\n');
    assert.match(stderr, /^err$/m);
    assert.match(stderr, /Failed \(Exited\): Its command ended with code 7\./);
    const good = await create('greets', 'echo hello $SVC_JOB').then(() =>
      svc('jobs', 'run', 'demo/greets', '-f'),
    );
    assert.deepEqual([good.code, good.stdout], [0, 'hello greets\n'], good.stderr);
  });

  it('leaves its log and its verdict behind, and nothing at the engine', async () => {
    const run = await newest('speaks');
    assert.deepEqual([run.status, run.exit_code, run.tries, run.trigger], ['Failed', 7, 1, 'request']);
    await until('its container is gone', async () => (await containersOfRun(run.id)).length === 0);
    assert.deepEqual((await textOf(run.id)).trim().split('\n').sort(), ['err', 'out']);
    const { stdout } = await must(svc('runs', 'describe', run.id));
    assert.match(stdout, /Exit code:\s+7/);
  });

  it('is stopped at its deadline, and is not tried again', async () => {
    await create('sleeps', 'exec sleep 300', '--deadline', '1s', '--retries', '3');
    const { code } = await svc('jobs', 'run', 'demo/sleeps', '--follow');
    const run = await newest('sleeps');
    assert.deepEqual([run.status, run.reason, run.tries], ['Failed', 'DeadlineExceeded', 1], run.message);
    assert.equal(code, run.exit_code);
  });

  it('that fails is tried again in a fresh container, and its log tells the tries apart', async () => {
    await create(
      'mends',
      '[ -e /here ] && exit 9; touch /here; echo this is $SVC_TRY; [ $SVC_TRY = 2 ]',
      '--retries',
      '2',
    );
    await must(svc('jobs', 'run', 'demo/mends', '--follow'));
    const run = await newest('mends');
    assert.deepEqual([run.status, run.tries, run.exit_code], ['Succeeded', 2, 0]);
    assert.equal(await textOf(run.id), 'this is 1\n--- try 2 ---\nthis is 2\n');
  });

  it('has its last words in its log, also without a line end', async () => {
    await create('gives-up', 'echo; sleep 0.7; printf "gave up $SVC_TRY"; exit 1', '--retries', '2');
    assert.equal((await svc('jobs', 'run', 'demo/gives-up', '--follow')).code, 1);
    const tries = '\ngave up 1\n--- try 2 ---\n\ngave up 2\n--- try 3 ---\n\ngave up 3\n';
    assert.equal(await textOf((await newest('gives-up')).id), tries);
  });

  it('over its memory limit says so', async () => {
    await create('grows', 'x=aaaaaaaa; while :; do x=$x$x; done', '--memory', '16Mi');
    await svc('jobs', 'run', 'demo/grows', '--follow');
    const run = await newest('grows');
    assert.deepEqual([run.status, run.reason], ['Failed', 'OutOfMemory'], run.message);
  });

  it('is stopped on request, and excludes another one until then', async () => {
    await create('waits', 'trap "exit 5" TERM; echo up; while :; do sleep 0.1; done');
    await must(svc('jobs', 'run', 'demo/waits'));
    const run = await newest('waits');
    await until('it runs', async () => (await textOf(run.id)).includes('up'));
    const another = await svc('jobs', 'run', 'demo/waits');
    assert.equal(another.code, 5);
    assert.match(another.stderr, /under way, and its concurrency is forbid/);
    await must(svc('runs', 'stop', run.id));
    const stopped = await over('waits');
    assert.deepEqual([stopped.status, stopped.reason, stopped.exit_code], ['Stopped', 'Stopped', 5]);
  });

  it('has the rights of a workload and no more', async () => {
    await create('looks', 'sleep 60', '--memory', '32Mi');
    await must(svc('jobs', 'run', 'demo/looks'));
    const { id } = await newest('looks');
    const [container] = await until('its container', async () => {
      const found = await containersOfRun(id);
      return found.length > 0 && found;
    });
    const { HostConfig, Mounts, NetworkSettings } = container ?? assert.fail();
    assert.deepEqual(
      [
        HostConfig['Privileged'],
        HostConfig['CapDrop'],
        HostConfig['Memory'],
        Mounts,
        NetworkSettings.Ports ?? {},
      ],
      [false, ['ALL'], 32 * 2 ** 20, [], {}],
    );
    await must(svc('jobs', 'delete', 'demo/looks', '--yes'));
    assert.deepEqual(await containersOfRun(id), []);
    assert.equal((await callApi(node, 'GET', `/v1/runs/${id}`)).status, 404);
  });
});

describe('a node that goes', () => {
  it('leaves a run alone when it is killed, and follows it on when it is back: once, with all of its output', async () => {
    await create(
      'counts',
      'for i in 1 2 3 4 5 6 7 8 9 10 11 12; do echo line $i; sleep 0.5; done',
      '--retries',
      '1',
    );
    await must(svc('jobs', 'run', 'demo/counts'));
    const { id } = await newest('counts');
    await until('it prints', async () => (await textOf(id)).includes('line 2'));
    await node.kill('SIGKILL');
    await node.start();
    const run = await over('counts');
    assert.deepEqual([run.id, run.status, run.tries], [id, 'Succeeded', 1], run.message);
    const lines = Array.from({ length: 12 }, (_, n) => `line ${n + 1}\n`).join('');
    assert.equal(await textOf(id), lines);
    assert.equal((await runsOf('counts')).length, 1);
  });

  it('judges by the code a run that ended while it was away', async () => {
    await create('ends', 'echo up; sleep 3; echo done; exit 4');
    await must(svc('jobs', 'run', 'demo/ends'));
    const { id } = await newest('ends');
    await until('it runs', async () => (await textOf(id)).includes('up'));
    await node.kill('SIGKILL');
    await until('it has ended', async () => {
      const [found] = await containersOfRun(id);
      const { text } = await engineCall(node.engine, 'GET', `/containers/${found?.Id ?? ''}/json`);
      return (JSON.parse(text) as { State: { Status: string } }).State.Status === 'exited';
    });
    await node.start();
    const run = await over('ends');
    assert.deepEqual([run.status, run.exit_code, await textOf(id)], ['Failed', 4, 'up\ndone\n'], run.message);
  });

  it('tries again what somebody took away, within its retries', async () => {
    await create('taken', '[ $SVC_TRY = 2 ] || exec sleep 300', '--retries', '1');
    await must(svc('jobs', 'run', 'demo/taken'));
    const { id } = await newest('taken');
    const [container] = await until('it runs', async () => {
      const found = await containersOfRun(id);
      const run = await newest('taken');
      return run.reason === 'Running' && found.length === 1 && found;
    });
    await engineCall(node.engine, 'DELETE', `/containers/${container?.Id ?? ''}?force=1`);
    const run = await over('taken');
    assert.deepEqual([run.status, run.tries], ['Succeeded', 2], run.message);
  });
});

describe('a release job', () => {
  const push = () => node.svc(['push'], { cwd: web.dir });
  const migrate = async () => {
    const jobs = await fromApi<Page<JobResource>>(node, 'GET', '/v1/jobs?project=demo&name=migrate');
    return jobs.items[0] ?? assert.fail('there is no job migrate');
  };

  it('runs once before the gate, in the new image and with the environment of the service', async () => {
    const created = ['jobs', 'create', 'demo/migrate', '--service', 'web', '--release'];
    await must(svc(...created, ...shell('echo migrating $GREETING $(cat /www/index.html)')));
    const pushed = await must(push());
    assert.match(pushed.stdout, /Running the release job migrate/);
    assert.equal((await node.get('web.demo.localhost')).text, 'one');
    const run = await newest('migrate');
    const [deployment] = await deploymentsOf(node, service);
    assert.deepEqual([run.status, run.trigger, run.deployment_id], ['Succeeded', 'release', deployment?.id]);
    assert.equal(await textOf(run.id), 'migrating from the service one\n');
    assert.equal((await svc('jobs', 'run', 'demo/migrate')).code, 5);
  });

  it('does not run for a restart, a changed configuration or a rollback', async () => {
    await must(svc('restart', 'demo/web'));
    await must(svc('services', 'update', 'demo/web', '--env', 'MORE=1'));
    await web.write('www/index.html', 'two');
    await must(push());
    assert.equal((await runsOf('migrate')).length, 2);
    await must(svc('rollback', 'demo/web'));
    assert.equal((await node.get('web.demo.localhost')).text, 'one');
    assert.equal((await runsOf('migrate')).length, 2);
  });

  it('that fails fails the deployment with its last lines, and what served goes on', async () => {
    await must(svc('jobs', 'update', 'demo/migrate', ...shell('echo no such column >&2; exit 3')));
    await web.write('www/index.html', 'three');
    const pushed = await push();
    assert.equal(pushed.code, 1);
    assert.match(pushed.stderr, /ReleaseJobFailed.*migrate did not succeed[\s\S]*no such column/);
    assert.equal((await node.get('web.demo.localhost')).text, 'one');
    const [failed] = await deploymentsOf(node, service);
    assert.deepEqual([failed?.status, failed?.reason, failed?.replicas], ['Failed', 'ReleaseJobFailed', []]);
  });

  it('is stopped with the deployment that waits for it', async () => {
    await must(svc('jobs', 'update', 'demo/migrate', ...shell('exec sleep 300')));
    await web.write('www/index.html', 'four');
    await must(node.svc(['push', '--no-follow'], { cwd: web.dir }));
    const run = await until('it runs', async () => {
      const one = await newest('migrate');
      return one.status === 'Running' && one.reason === 'Running' && one;
    });
    await fromApi(node, 'POST', `/v1/deployments/${run.deployment_id ?? ''}/stop`, {});
    assert.equal((await over('migrate')).status, 'Stopped');
  });

  it('goes with its service, and a project with jobs is not deleted by mistake', async () => {
    const { id } = await migrate();
    const refused = await svc('delete', 'project', 'demo', '--yes');
    assert.equal(refused.code, 5);
    assert.match(refused.stderr, /owns services and jobs/);
    await must(svc('delete', 'service', 'demo/web', '--yes'));
    assert.equal((await callApi(node, 'GET', `/v1/jobs/${id}`)).status, 404);
    await must(svc('delete', 'project', 'demo', '--cascade', '--yes'));
    assert.deepEqual(await containersOf(node), []);
  });
});
