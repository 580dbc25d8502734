import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { uploadOf, type DeploymentStatus } from '../../../specs/deployment.ts';
import { ProblemError } from '../../../specs/problem.ts';
import { giveService } from '../../support/api.ts';
import { golden, type Cli } from '../../support/cli.ts';
import { eventually } from '../../support/eventually.ts';
import { deploymentsOf, healthy, manifest, pushWorld } from '../../support/pushing.ts';

describe('svc push', () => {
  it('packs, uploads, deploys and follows to the end', async (test) => {
    const one = await pushWorld(test, {
      files: { 'app/main.js': 'serve()', '.gitignore': '*.log' },
      ends: healthy,
    });
    const { service } = await giveService(one.api);
    const outcome = await one.user.svc('push');
    assert.equal(outcome.code, 0, outcome.stderr);
    assert.equal(
      golden(outcome.stdout),
      '  Step 1/1 : FROM busybox\nHealthy: http://web.shop.localhost:8080/ (0.0s)\n',
    );
    assert.equal(
      golden(outcome.stderr).replace(/\d+ B compressed/, 'N B compressed'),
      [
        'Pushed 4 files, 58 B (N B compressed) in 0.0s, 0 B/s',
        'Deployment 1 of shop/web dep_…',
        'The image is being built.',
        '✓ Built 0.0s',
        'Waiting until it is healthy.',
        '✓ Released 0.0s\n',
      ].join('\n'),
    );
    const [deployment] = await deploymentsOf(one);
    assert.equal(deployment?.service_id, service.id);
    assert.deepEqual(
      [uploadOf(deployment.source)?.dockerfile_path, uploadOf(deployment.source)?.context_path],
      ['Dockerfile', '.'],
    );
    const archive = [...one.api.uploads.staged.values()][0];
    assert.equal(archive?.subarray(0, 4).toString('hex'), '28b52ffd');
  });

  it('deploys an image without a tree, and packs nothing', async (test) => {
    const one = await pushWorld(test, { ends: healthy });
    await giveService(one.api);
    const { code, stderr } = await one.user.svc('push', '--image', 'ghcr.io/shop/web:1.4');
    assert.equal(code, 0, stderr);
    assert.match(golden(stderr), /The image is being pulled\.\n✓ Pulled 0\.0s\n/);
    const [deployment] = await deploymentsOf(one);
    assert.deepEqual(deployment?.source, { image: 'ghcr.io/shop/web:1.4' });
    assert.equal(one.api.uploads.staged.size, 0);
  });

  for (const flag of ['--git', '--dockerfile', '--context']) {
    it(`does not build what is an image: ${flag}`, async (test) => {
      const one = await pushWorld(test);
      const { code, stderr } = await one.user.svc('push', '--image', 'nginx', flag, 'x');
      assert.equal(code, 2);
      assert.match(stderr, new RegExp(`${flag} says nothing about it`));
    });
  }

  it('names Dockerfile and context as the manifest or the flags do', async (test) => {
    const files = {
      '.svc': `${manifest}dockerfile = "app/Dockerfile"\ncontext = "app"\n`,
      'app/Dockerfile': 'FROM busybox\n',
      'other/Dockerfile.prod': 'FROM busybox\n',
    };
    const one = await pushWorld(test, { files });
    await giveService(one.api);
    await one.user.svc('push', '--no-follow');
    await one.user.svc(
      'push',
      '--no-follow',
      '--dockerfile',
      './other/Dockerfile.prod',
      '--context',
      'other/',
    );
    const paths = (await deploymentsOf(one)).map(({ source }) => [
      uploadOf(source)?.dockerfile_path,
      uploadOf(source)?.context_path,
    ]);
    assert.deepEqual(paths, [
      ['other/Dockerfile.prod', 'other'],
      ['app/Dockerfile', 'app'],
    ]);
  });

  it('pushes another tree to another service when flags say so', async (test) => {
    const one = await pushWorld(test, {
      files: { 'sub/Dockerfile': 'FROM busybox\n', 'sub/.svc': 'project = "shop"' },
    });
    await giveService(one.api);
    assert.equal((await one.user.svc('push', '--no-follow', '--path', 'sub', '--service', 'web')).code, 0);
    const missing = await one.user.svc('push', '--project', 'elsewhere', '--service', 'other');
    assert.equal(missing.code, 4);
    assert.match(
      missing.stderr,
      /no service "other" in project "elsewhere"[^]*svc services create other -p elsewhere/,
    );
  });

  it('prints nothing but the id with --no-follow', async (test) => {
    const one = await pushWorld(test);
    await giveService(one.api);
    const { code, stdout, stderr } = await one.user.svc('push', '--no-follow');
    const [deployment] = await deploymentsOf(one);
    assert.deepEqual([code, stdout], [0, `${deployment?.id ?? ''}\n`]);
    assert.match(stderr, /svc logs --deployment dep_\w+ -f/);
  });

  const endings: [Partial<DeploymentStatus>, RegExp][] = [
    [
      {
        phase: 'Failed',
        reason: 'WorkloadExited',
        message:
          'The workload exited with code 3 before it was healthy. Its last lines:\n  \u001b[31mboom\u001b[0m',
      },
      /^svc: Deployment 1 failed \(WorkloadExited\): The workload exited with code 3 .*\n +boom\n +Nothing is serving\.\n +See the whole log: svc logs --deployment dep_…$/m,
    ],
    [
      { phase: 'Stopped', reason: 'Superseded', message: 'A newer deployment was asked for.' },
      /^svc: Deployment 1 was stopped \(Superseded\): A newer/m,
    ],
  ];
  for (const [ends, message] of endings) {
    it(`ends with 1 when the deployment ends ${ends.phase ?? ''}`, async (test) => {
      const one = await pushWorld(test, { ends });
      await giveService(one.api);
      const outcome = await one.user.svc('push');
      assert.equal(outcome.code, 1);
      assert.equal(golden(outcome.stdout), '  Step 1/1 : FROM busybox\n');
      assert.match(golden(outcome.stderr), message);
      assert.doesNotMatch(outcome.stderr, /\u001b/);
    });
  }

  it('says that what was there before goes on serving', async (test) => {
    const one = await pushWorld(test, {
      ends: { phase: 'Failed', reason: 'BuildFailed', message: 'No such file.' },
    });
    const { service } = await giveService(one.api);
    await one.user.svc('push', '--no-follow');
    await one.api.store.patchStatus('Service', service.id, 2, {
      promoted: (await deploymentsOf(one))[0]?.id ?? '',
    });
    assert.match((await one.user.svc('push')).stderr, /What was deployed before goes on serving\./);
  });

  it('counts a deployment that was replaced at once as done', async (test) => {
    const one = await pushWorld(test, {
      ends: { phase: 'Inactive', reason: 'Replaced', message: 'A newer deployment was promoted.' },
    });
    await giveService(one.api);
    const { code, stdout } = await one.user.svc('push');
    assert.equal(code, 0);
    assert.match(stdout, /replaced by a newer deployment since/);
  });

  it('leaves the deployment to the node on Ctrl-C, and says how to go on', async (test) => {
    const one = await pushWorld(test);
    await giveService(one.api);
    const pushing = one.user.start('push');
    await eventually(() => one.api.logs.listening > 0);
    pushing.interrupt();
    const { code, stderr } = await pushing.outcome;
    assert.equal(code, 130);
    assert.match(
      golden(stderr),
      /Detached: the node goes on with deployment 1\.\nFollow it with: svc logs --deployment dep_… -f\nCancel it with: svc stop --deployment dep_…\n$/,
    );
    assert.deepEqual(
      (await deploymentsOf(one)).map(({ status }) => status),
      ['Pending'],
    );
  });

  it('deploys nothing on Ctrl-C during the upload', async (test) => {
    const one = await pushWorld(test, { files: { big: randomBytes(8_000_000).toString('base64') } });
    await giveService(one.api);
    let pushing: ReturnType<Cli['start']> | undefined = undefined;
    one.api.uploads.check = () => pushing?.interrupt();
    pushing = one.user.start('push');
    const { code, stderr } = await pushing.outcome;
    assert.equal(code, 130);
    assert.match(stderr, /Interrupted\./);
    await eventually(() => one.api.uploads.staged.size === 0);
    assert.deepEqual(await deploymentsOf(one), []);
  });

  it('says why the node refuses the archive', async (test) => {
    const one = await pushWorld(test, { files: { big: 'x'.repeat(100_000) } });
    await giveService(one.api);
    one.api.uploads.check = () => {
      throw new ProblemError('too_large', 'The archive holds more than 5 files: push less.');
    };
    const { code, stderr } = await one.user.svc('push');
    assert.equal(code, 5);
    assert.match(stderr, /more than 5 files/);
    assert.deepEqual(await deploymentsOf(one), []);
  });

  const faults: [string, string[], Record<string, string>, number, RegExp][] = [
    ['without a Dockerfile', ['--dockerfile', 'nope'], {}, 5, /no Dockerfile at .*nope/],
    ['with a Dockerfile outside of the tree', ['--dockerfile', '../Dockerfile'], {}, 5, /lies outside/],
    ['with a context that is none', ['--context', 'Dockerfile'], {}, 5, /not a directory/],
    [
      'without the tree',
      ['--path', 'nope', '--project', 'shop', '--service', 'web'],
      {},
      5,
      /no directory .*nope/,
    ],
    ['without a service', [], { '.svc': 'project = "shop"' }, 2, /Which service[^]*\.svc[^]*--service/],
    ['without a project', [], { '.svc': 'service = "web"' }, 2, /Which project[^]*--project/],
    ['with a typo in the manifest', [], { '.svc': 'projct = "shop"' }, 5, /Did you mean "project"/],
  ];
  for (const [name, flags, files, exitCode, message] of faults) {
    it(`is refused ${name}, before anything is sent`, async (test) => {
      const one = await pushWorld(test, { files });
      await giveService(one.api);
      const { code, stdout, stderr } = await one.user.svc('push', ...flags);
      assert.deepEqual([code, stdout], [exitCode, '']);
      assert.match(stderr, message);
      assert.deepEqual(one.api.uploads.begun, []);
    });
  }
});
