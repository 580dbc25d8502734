import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Observed } from '../../../controllers/gc/observe.ts';
import { plan, toItem, type Rules } from '../../../controllers/gc/plan.ts';
import { imageTag, jobImageTag, networkName, volumeName } from '../../../controllers/engine/names.ts';
import type { DeploymentPhase } from '../../../specs/deployment.ts';
import type { Row } from '../../../specs/index.ts';
import { aDeployment, anId, aProject, aService } from '../../support/store.ts';

const nodeId = 'node_12345678';
const now = Date.parse('2030-01-01T00:00:00Z');
const rules: Rules = { nodeId, isPrivateEngine: true, cacheAgeMs: 3_600_000, now };
const hours = (count: number) => count * 3_600_000;

const nothing: Observed = {
  ...{ images: [], tagged: [], oldNotes: [], networks: [], volumes: [], files: [] },
  usage: { images: new Map(), volumes: new Map(), buildCache: [] },
  rows: {
    ...{ projects: [aProject()], services: [aService()], deployments: [] },
    ...{ jobs: [], runs: [], uploads: [], volumes: [] },
  },
};

type Parts = Partial<Omit<Observed, 'rows'>> & { rows?: Partial<Observed['rows']> };

function observed({ rows, ...parts }: Parts): Observed {
  return { ...nothing, ...parts, rows: { ...nothing.rows, ...rows } };
}

/** What is taken, and what is only spoken of. */
function judge(parts: Parts, other: Partial<Rules> = {}) {
  const items = plan(observed(parts), { ...rules, ...other }).map(toItem);
  const names = (action: 'remove' | 'report') =>
    items.filter((item) => item.action === action).map(({ name }) => name);
  return { taken: names('remove'), reported: names('report') };
}

const none = { taken: [], reported: [] };

/** The nth deployment, with an image at the engine under its tag. */
function deployed(n: number, phase: DeploymentPhase, image: string | null): Row<'Deployment'> {
  const row = aDeployment({ id: anId('deployment', n) });
  return { ...row, status: { ...row.status, phase, image, promoted_at: new Date(now + n).toISOString() } };
}

const imageOf = (row: Row<'Deployment'>, id = `sha256:${row.id}`) => ({ id, tags: [imageTag(row)] });

describe('images', () => {
  for (const phase of ['Pending', 'Building', 'Starting', 'Healthy'] as const)
    it(`of a deployment that is ${phase} is not garbage, whether its row has it yet or not`, () => {
      const row = deployed(1, phase, null);
      assert.deepEqual(judge({ images: [imageOf(row)], rows: { deployments: [row] } }), none);
    });

  for (const phase of ['Failed', 'Stopped', 'Inactive'] as const)
    it(`of a deployment that is ${phase} and has given it up, is`, () => {
      const row = deployed(1, phase, null);
      const { taken } = judge({ images: [imageOf(row)], rows: { deployments: [row] } });
      assert.deepEqual(taken, [imageTag(row)]);
    });

  it('of a deployment that may be rolled back to is not, nor one that its service is to give up first', () => {
    const rows = Array.from({ length: 9 }, (_, n) => deployed(n + 1, 'Inactive', `sha256:${n}`));
    assert.deepEqual(judge({ images: rows.map((row) => imageOf(row)), rows: { deployments: rows } }), none);
  });

  for (const [what, status] of [
    ['promoted', { promoted: anId('deployment', 1) }],
    ['previous', { previous: anId('deployment', 1) }],
  ] as const)
    it(`of the ${what} deployment is not, whatever its row says`, () => {
      const service = aService();
      const row = deployed(1, 'Stopped', null);
      const services = [{ ...service, status: { ...service.status, ...status } }];
      assert.deepEqual(judge({ images: [imageOf(row)], rows: { services, deployments: [row] } }), none);
    });

  it('of the target, and of one that is watched or stands by, is not', () => {
    const service = aService();
    const [target, watched, standing] = [1, 2, 3].map((n) => deployed(n, 'Stopped', null));
    assert.ok(target && watched && standing);
    const before = { requests: 0, bad: 0 };
    const bake = {
      deployment: watched.id,
      previous: standing.id,
      earlier: null,
      since: '',
      until: '',
      before,
    };
    const services = [
      {
        ...service,
        spec: { ...service.spec, rollout: { ...service.spec.rollout, target: target.id } },
        status: { ...service.status, bake },
      },
    ];
    const deployments = [target, watched, standing];
    const images = deployments.map((row) => imageOf(row));
    assert.deepEqual(judge({ images, rows: { services, deployments } }), none);
  });

  it('whose deployment is gone are; the bytes are counted with the last tag', () => {
    const [gone, kept] = [deployed(1, 'Healthy', 'sha256:a'), deployed(2, 'Healthy', 'sha256:a')];
    const image = { id: 'sha256:a', tags: [imageTag(gone), imageTag(kept)] };
    const usage = { ...nothing.usage, images: new Map([['sha256:a', 7]]) };
    const items = (deployments: Row<'Deployment'>[]) =>
      plan(observed({ images: [image], usage, rows: { deployments } }), rules).map(({ name, bytes }) => [
        name,
        bytes,
      ]);
    assert.deepEqual(items([kept]), [[imageTag(gone), 0]]);
    assert.deepEqual(
      items([]).toSorted(),
      [
        [imageTag(gone), 0],
        [imageTag(kept), 7],
      ].toSorted(),
    );
  });

  it('without a tag are, unless a row names what is in them', () => {
    const row = deployed(1, 'Healthy', 'sha256:named');
    const images = [
      { id: 'sha256:named', tags: [] },
      { id: 'sha256:left', tags: [] },
    ];
    assert.deepEqual(judge({ images, rows: { deployments: [row] } }).taken, ['sha256:left']);
  });

  it('that the build cache may share layers with say so, where they were built here', () => {
    const [built, pulled] = [deployed(1, 'Failed', null), deployed(2, 'Failed', null)];
    const [tag, other] = [imageTag(built), imageTag(pulled)];
    const reasons = (bytes: number): string[] =>
      plan(
        observed({
          images: [imageOf(built)],
          tagged: [{ ...imageOf(pulled), own: [other] }],
          usage: {
            ...nothing.usage,
            buildCache: [{ bytes, isNeeded: true, lastUsedAt: null }],
          },
          rows: { deployments: [built, pulled] },
        }),
        rules,
      )
        .filter(({ name }) => [tag, other].includes(name))
        .filter(({ reason }) => /comes free when that is pruned/.test(reason))
        .map(({ name }) => name);
    assert.deepEqual(reasons(5), [tag]);
    assert.deepEqual(reasons(0), []);
  });

  it('that were pulled are by the tags that this node has put on them, and by no other', () => {
    const [gone, kept] = [deployed(1, 'Healthy', 'sha256:a'), deployed(2, 'Healthy', 'sha256:a')];
    const own = [imageTag(gone), imageTag(kept)];
    const usage = { ...nothing.usage, images: new Map([['sha256:a', 7]]) };
    const items = (tags: string[], deployments: Row<'Deployment'>[]) =>
      plan(observed({ tagged: [{ id: 'sha256:a', tags, own }], usage, rows: { deployments } }), rules);
    const named = (all: ReturnType<typeof items>) => all.map(({ name, bytes }) => [name, bytes]);
    assert.deepEqual(named(items(own, [gone, kept])), []);
    assert.deepEqual(named(items(own, [kept])), [[imageTag(gone), 0]]);
    assert.deepEqual(new Set(items(own, []).map(({ name }) => name)), new Set(own));
    assert.equal(
      items(own, []).reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
      7,
    );
    // Somebody else calls it something, too: nothing is freed.
    assert.equal(
      items([...own, 'busybox:1'], []).reduce((sum, { bytes }) => sum + (bytes ?? 0), 0),
      0,
    );
  });

  it('that a job runs are not', () => {
    const job = { ...aProject(), id: anId('job', 1) } as unknown as Row<'Job'>;
    const images = [{ id: 'sha256:a', tags: [jobImageTag(job.id)] }];
    assert.deepEqual(judge({ images, rows: { jobs: [job] } }), none);
    assert.deepEqual(judge({ images }).taken, [jobImageTag(job.id)]);
  });
});

describe('networks', () => {
  const network = (name: string) => ({ id: `id of ${name}`, name, subnets: [], labels: {} });

  it('of a project are not garbage, also before its row says so; others are', () => {
    const fresh = { ...aProject(), id: anId('project', 2), name: 'fresh' };
    const row = { ...fresh, status: { ...fresh.status, network_name: null } };
    const named = aProject().status.network_name ?? networkName(nodeId, aProject());
    const networks = [network(named), network(networkName(nodeId, row)), network('svc-gone')];
    assert.deepEqual(judge({ networks, rows: { projects: [aProject(), row] } }).taken, ['svc-gone']);
  });
});

describe('volumes', () => {
  const service = aService();
  const row = {
    ...{ id: anId('volume', 1), name: 'web-data', deleted_at: null },
    spec: { project_id: service.owner, service: service.name, volume: 'data' },
    status: { engine_name: null, conditions: [] },
  } as unknown as Row<'Volume'>;
  const there = [{ name: volumeName(nodeId, row), labels: {} }];

  it('of a service are not garbage', () => {
    assert.deepEqual(judge({ volumes: there, rows: { volumes: [row] } }), none);
  });

  it('of no service are reported, and never taken', () => {
    const reported = [volumeName(nodeId, row)];
    assert.deepEqual(judge({ volumes: there, rows: { services: [], volumes: [row] } }), {
      taken: [],
      reported,
    });
    assert.deepEqual(judge({ volumes: there }), { taken: [], reported });
    const deleted = { ...service, deleted_at: '2030-01-01T00:00:00.000Z' };
    assert.deepEqual(judge({ volumes: there, rows: { services: [deleted], volumes: [row] } }), {
      taken: [],
      reported,
    });
  });
});

describe('files', () => {
  const old = now - hours(1);
  const ids = { upload: anId('upload', 1), deployment: anId('deployment', 1), run: anId('run', 1) };
  const serviceId = aService().id;
  const files: Observed['files'] = [
    { kind: 'upload', id: ids.upload, path: '/u', modifiedAt: old },
    { kind: 'git-clone', id: ids.deployment, path: '/g', modifiedAt: old },
    { kind: 'deployment-log', id: ids.deployment, path: '/d', modifiedAt: old },
    { kind: 'run-log', id: ids.run, path: '/r', modifiedAt: old },
    { kind: 'workload-log', id: ids.deployment, serviceId, path: '/w', modifiedAt: old },
  ];

  it('whose rows are gone are garbage', () => {
    const names = [ids.upload, ids.deployment, ids.deployment, ids.run, `${serviceId}/${ids.deployment}`];
    assert.deepEqual(judge({ files }).taken, names.toSorted());
  });

  it('are not while their rows are there, but for clones whose build is over', () => {
    const rows = {
      uploads: [{ id: ids.upload } as Row<'Upload'>],
      runs: [{ id: ids.run, spec: {}, status: { phase: 'Succeeded' } } as Row<'Run'>],
    };
    const building = [deployed(1, 'Building', null)];
    assert.deepEqual(judge({ files, rows: { ...rows, deployments: building } }), none);
    const over = [deployed(1, 'Healthy', 'sha256:a')];
    assert.deepEqual(judge({ files, rows: { ...rows, deployments: over } }).taken, [ids.deployment]);
  });

  it('are not while they are young: their row may be on its way', () => {
    const young = files.map((file) => ({ ...file, modifiedAt: now - 60_000 }));
    assert.deepEqual(judge({ files: young }), none);
  });
});

describe('build cache', () => {
  const record = (bytes: number, age: number, isNeeded = false) => ({
    ...{ bytes, isNeeded, lastUsedAt: new Date(now - age).toISOString() },
  });
  const buildCache = [record(1, hours(2)), record(2, hours(2)), record(4, hours(2), true), record(8, 1_000)];
  const usage = { ...nothing.usage, buildCache };

  it('that is old goes from a private engine', () => {
    const [item] = plan(observed({ usage }), rules);
    assert.deepEqual([item?.name, item?.bytes], ['2 records', 3]);
    assert.deepEqual(item?.step, { do: 'pruneBuildCache', unusedForMs: rules.cacheAgeMs });
  });

  it('is only reported where others may build, too', () => {
    assert.deepEqual(judge({ usage }, { isPrivateEngine: false }), { taken: [], reported: ['2 records'] });
  });
});

it('takes nothing on the word of a store without a project', () => {
  const networks = [{ id: '1', name: 'svc-gone', subnets: [], labels: {} }];
  assert.deepEqual(judge({ networks, rows: { projects: [] } }), { taken: [], reported: ['svc-gone'] });
});

it('has the biggest first', () => {
  const usage = {
    ...nothing.usage,
    images: new Map([
      ['a', 1],
      ['b', 3],
      ['c', 2],
    ]),
  };
  const images = ['a', 'b', 'c'].map((id) => ({ id, tags: [] }));
  assert.deepEqual(judge({ images, usage }).taken, ['b', 'c', 'a']);
});
