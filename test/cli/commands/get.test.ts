import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { parse } from 'yaml';
import type { DeploymentResource, Page, ServiceResource } from '../../../specs/resources.ts';
import { giveDeployment, giveService, testApi, type TestApi } from '../../support/api.ts';
import { cli, clockOf, golden, listening, type Cli } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { answerJson, answerProblem, scriptedServer } from '../../support/http-server.ts';

interface World {
  api: TestApi;
  user: Cli;
  service: ServiceResource;
}

/** A node with the service `web` in project `shop`, looked at three minutes later. */
async function world(test: TestContext): Promise<World> {
  const api = await testApi(test);
  const { service } = await giveService(api);
  await api.clock.advance(180_000);
  return {
    api,
    service,
    user: await cli(test, { url: await listening(api), token: api.token, clock: clockOf(api) }),
  };
}

async function promote({ store }: TestApi, { id, service_id }: DeploymentResource): Promise<void> {
  await store.patchStatus('Deployment', id, 1, {
    phase: 'Healthy',
    reason: 'Promoted',
    message: 'Serving.',
    promoted_at: '2030-01-01T00:02:00.000Z',
    epoch: 0,
  });
  await store.patchStatus('Service', service_id, 1, {
    promoted: id,
    conditions: [
      {
        type: 'Ready',
        status: 'True',
        reason: 'Serving',
        message: '1 of 1 replicas are ready.',
        last_transition_at: '2030-01-01T00:02:00.000Z',
      },
    ],
  });
}

describe('svc get', () => {
  it('shows projects', async (test) => {
    const { user } = await world(test);
    const outcome = await user.svc('get', 'projects');
    assert.deepEqual(outcome, { code: 0, stdout: 'NAME   AGE\nshop   3m\n', stderr: '' });
  });

  it('shows services', async (test) => {
    const { api, user, service } = await world(test);
    assert.equal(
      (await user.svc('get', 'services')).stdout,
      'PROJECT   NAME   STATUS    REPLICAS   AGE   URL\nshop      web    Pending   1          3m    http://web.shop.localhost:8080/\n',
    );
    await promote(api, await giveDeployment(api, service.id));
    assert.equal(
      golden((await user.svc('get', 'services', '-o', 'wide')).stdout),
      [
        'PROJECT   NAME   STATUS    REPLICAS   AGE   URL                               PORT       PROMOTED                         ID',
        'shop      web    Serving   1          3m    http://web.shop.localhost:8080/   3000/tcp   dep_…   svc_…\n',
      ].join('\n'),
    );
  });

  it('shows deployments, newest first', async (test) => {
    const { api, user, service } = await world(test);
    await promote(api, await giveDeployment(api, service.id));
    await api.clock.advance(60_000);
    await giveDeployment(api, service.id);
    const table = [
      'NUMBER   STATUS    REASON     PROMOTED   AGE   ID',
      '2        Pending   Queued     -          0s    dep_…',
      '1        Healthy   Promoted   yes        60s   dep_…\n',
    ].join('\n');
    for (const scope of [['-s', 'shop/web'], ['-s', 'web', '-p', 'shop'], ['-p', 'shop'], []]) {
      assert.equal(golden((await user.svc('get', 'deployments', ...scope)).stdout), table);
    }
  });

  it('finds one by name, number or id', async (test) => {
    const { api, user, service } = await world(test);
    const { id } = await giveDeployment(api, service.id);
    const lines = [
      ['get', 'service', 'web', '-p', 'shop'],
      ['get', 'service/web', '-p', 'shop'],
      ['get', 'svc', 'shop/web'],
      ['get', 'services/shop/web'],
      ['get', 'svc', service.id],
      ['get', 'po/shop'],
      ['get', 'deploy', '1', '-s', 'shop/web'],
      ['get', `deployment/${id}`],
    ];
    for (const line of lines) {
      const { code, stdout, stderr } = await user.svc(...line);
      assert.deepEqual([code, stderr, stdout.split('\n').length], [0, '', 3], line.join(' '));
    }
  });

  it('prints what the API answers, as JSON and YAML', async (test) => {
    const { api, user, service } = await world(test);
    const path = `/v1/services/${service.id}`;
    const answer = (await api.call('GET', path)).json<ServiceResource>();
    const one = ['get', 'service', 'web', '-p', 'shop', '-o'];
    assert.deepEqual(JSON.parse((await user.svc(...one, 'json')).stdout), answer);
    assert.deepEqual(parse((await user.svc(...one, 'yaml')).stdout), answer);
    const list: Page<ServiceResource> = { items: [answer], next_cursor: null };
    assert.deepEqual(JSON.parse((await user.svc('get', 'services', '-o', 'json')).stdout), list);
    assert.deepEqual(parse((await user.svc('get', 'services', '-o', 'yaml')).stdout), list);
  });

  it('prints names that it takes back', async (test) => {
    const { api, user, service } = await world(test);
    const { id } = await giveDeployment(api, service.id);
    for (const [kind, name] of [
      ['projects', 'project/shop'],
      ['services', 'service/shop/web'],
      ['deployments', `deployment/${id}`],
    ] as const) {
      assert.equal((await user.svc('get', kind, '-o', 'name')).stdout, `${name}\n`);
      assert.equal((await user.svc('get', name, '-o', 'name')).stdout, `${name}\n`);
    }
  });

  it('says on stderr that there is nothing', async (test) => {
    const { api, user } = await world(test);
    assert.equal((await user.svc('get', 'services', '-p', 'x')).code, 4);
    await api.call('POST', '/v1/projects', { name: 'x' });
    assert.deepEqual(await user.svc('get', 'services', '-p', 'x'), {
      code: 0,
      stdout: '',
      stderr: 'No services found in project x.\n',
    });
    assert.deepEqual(await user.svc('get', 'deployments', '-s', 'shop/web'), {
      code: 0,
      stdout: '',
      stderr: 'No deployments found of service shop/web.\n',
    });
    assert.deepEqual(JSON.parse((await user.svc('get', 'services', '-p', 'x', '-o', 'json')).stdout), {
      items: [],
      next_cursor: null,
    });
  });

  const missing: string[][] = [
    ['get', 'service', 'nope', '-p', 'shop'],
    ['get', 'services', 'nope'],
    ['get', 'project/nope'],
    ['get', 'deployments', '-s', 'shop/nope'],
    ['get', 'deployment', '9', '-s', 'shop/web'],
    ['get', 'deployment', `dep_${'0'.repeat(26)}`],
    ['describe', 'service', 'nope', '-p', 'shop'],
  ];
  for (const line of missing) {
    it(`ends with 4 where there is no such thing: svc ${line.join(' ')}`, async (test) => {
      const { code, stdout, stderr } = await (await world(test)).user.svc(...line);
      assert.deepEqual([code, stdout], [4, '']);
      assert.match(stderr, /^svc: .*\n/);
    });
  }

  const wrong: [string[], RegExp][] = [
    [['get', 'servces'], /no kind "servces"\. Did you mean "services"\?\n.*projects, services, deployments/],
    [['get', 'pods'], /no kind "pods"\./],
    [['get', 'services', '-o', 'jsn'], /table, wide, json, yaml, name, not "jsn"\. Did you mean "json"/],
    [['get', 'services', '-s', 'web'], /-s does not go with services/],
    [['get', 'service/web', 'web'], /not both/],
    [['get', 'service/'], /ends where a name should be/],
    [['get', 'service', 'shop/web', '-p', 'other'], /two projects/],
    [['get', 'deployments', '-s', 'web'], /Which project is service "web" in/],
    [['get', 'deployments', '-s', 'a/b/c'], /"a\/b\/c" is no service/],
    [['get', 'deployment', '3'], /of which service/],
    [['describe', 'service'], /Which service\?/],
  ];
  for (const [line, message] of wrong) {
    it(`ends with 2: svc ${line.join(' ')}`, async (test) => {
      const { code, stdout, stderr } = await (await world(test)).user.svc(...line);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
    });
  }

  it('says that the token is not accepted', async (test) => {
    const api = await testApi(test);
    const user = await cli(test, { url: await listening(api), token: 'svc_api_wrong' });
    const { code, stderr } = await user.svc('get', 'services');
    assert.equal(code, 3);
    assert.match(stderr, /SVC_TOKEN/);
    assert.doesNotMatch(stderr, /svc_api_wrong/);
  });
});

describe('svc get -w', () => {
  it('goes on with the rows that change, until Ctrl-C', async (test) => {
    const { api, user, service } = await world(test);
    const watching = user.start('get', 'services', '-w');
    await eventually(() => watching.stdout().includes('Pending'));
    await promote(api, await giveDeployment(api, service.id));
    await eventually(() => watching.stdout().includes('Serving'));
    watching.interrupt();
    const { code, stdout } = await watching.outcome;
    assert.equal(code, 130);
    assert.deepEqual(
      stdout.split('\n').map((line) => line.split(/\s+/)[2]),
      ['STATUS', 'Pending', 'Serving', undefined],
    );
  });

  it('outlives a node that is away for a while', async (test) => {
    let away = false;
    const server = await scriptedServer(test, (_asked, response) => {
      if (away) answerProblem(response, 'unavailable', 'The store is out of reach.');
      else
        answerJson(response, {
          items: [{ name: `shop-${server.asked.length}`, created_at: '2030-01-01T00:00:00Z' }],
          next_cursor: null,
        });
    });
    const watching = (await cli(test, { url: server.url })).start('get', 'projects', '-w', '-o', 'name');
    await eventually(() => watching.stdout() === 'project/shop-1\n');
    away = true;
    await eventually(() => watching.stderr() === 'svc: The store is out of reach. Trying again.\n');
    away = false;
    await eventually(() => watching.stdout().split('\n').length > 2);
    watching.interrupt();
    assert.equal((await watching.outcome).code, 130);
  });
});

describe('svc describe', () => {
  it('shows all of a service', async (test) => {
    const { api, user, service } = await world(test);
    await promote(api, await giveDeployment(api, service.id));
    const { code, stdout, stderr } = await user.svc('describe', 'service', 'web', '-p', 'shop');
    assert.deepEqual([code, stderr], [0, '']);
    assert.equal(
      golden(stdout),
      `Name:         web
Project:      shop
Id:           svc_…
Created:      2030-01-01T00:00:00.000Z (3m ago)
Status:       Serving
URL:          http://web.shop.localhost:8080/
Port:         3000 (tcp)
Health:       GET / every 1s, timeout 5s, deadline 2m
Replicas:     1
Resources:    1 cpus, 512Mi memory, 512 processes
Release:      rolling, taken back within 60s when it does worse, drain 30s, surge 4, keep 5
TLS:          off
Promoted:     1 (dep_…)
Target:       1 (dep_…)
Previous:     none
Environment:  none
Secrets:
  none
Domains:
  none
Conditions:
  TYPE    STATUS   REASON    SINCE   MESSAGE
  Ready   True     Serving   60s     1 of 1 replicas are ready.
Replicas:
  none
Deployments:
  NUMBER   STATUS    REASON     PROMOTED   AGE   ID
  1        Healthy   Promoted   yes        0s    dep_…
Events:
  none
`,
    );
  });

  it('shows all of a deployment, with the whole reason of a failure', async (test) => {
    const { api, user, service } = await world(test);
    const { id } = await giveDeployment(api, service.id);
    const message =
      'The workload exited with code 1 before it was healthy. Its last lines:\n  \u001b[31mboom\u001b[0m\n  bye';
    await api.store.patchStatus('Deployment', id, 1, { phase: 'Failed', reason: 'WorkloadExited', message });
    const { stdout } = await user.svc('describe', 'deployment', '1', '-s', 'shop/web');
    assert.match(golden(stdout), /^Number: +1\nId: +dep_…\nService: +shop\/web\n/);
    assert.match(
      stdout,
      /Status: +Failed \(WorkloadExited\)\nMessage: +The workload exited.*\n +boom\n +bye\n/,
    );
    assert.doesNotMatch(stdout, /\u001b/);
  });

  it('shows all of a project', async (test) => {
    const { user } = await world(test);
    const { stdout } = await user.svc('describe', 'project', 'shop');
    assert.match(stdout, /^Name: +shop\n/);
    assert.match(stdout, /Services:\n {2}NAME.*\n {2}web +Pending +http:\/\/web\.shop\.localhost:8080\/\n/);
  });
});
