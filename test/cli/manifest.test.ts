import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseManifest, readManifest, type Manifest } from '../../cli/manifest.ts';

describe('a manifest', () => {
  const good: [string, Manifest][] = [
    ['', {}],
    ['project = "shop"\nservice = "web"', { project: 'shop', service: 'web' }],
    [
      'dockerfile = "docker/Dockerfile"\ncontext = "app"',
      { dockerfile: 'docker/Dockerfile', context: 'app' },
    ],
    ['service = "web"\n[create]\nport = 8080', { service: 'web', create: { port: 8080 } }],
    ['[create]\nport = 1\nhealth_path = "/healthz"', { create: { port: 1, health_path: '/healthz' } }],
    ['create = { port = 65535 }', { create: { port: 65_535 } }],
  ];
  for (const [text, manifest] of good) {
    it(`is ${JSON.stringify(manifest)}`, () => assert.deepEqual(parseManifest(text, '.svc'), manifest));
  }

  const bad: [string, RegExp][] = [
    ['projct = "shop"', /"projct" is no known key\. Did you mean "project"\?/],
    ['colour = "red"', /"colour" is no known key\.$/],
    ['__proto__ = 1', /"__proto__" is no known key/],
    ['constructor = 1', /"constructor" is no known key/],
    ['[create]\nprot = 1', /\[create\] "prot" is no known key\. Did you mean "port"\?/],
    ['[create]\nhealth_path = "/"', /needs "port"/],
    ['[create]\nport = "8080"', /needs "port"/],
    ['[create]\nport = 0', /needs "port"/],
    ['[create]\nport = 65536', /needs "port"/],
    ['[create]\nport = 80.5', /needs "port"/],
    ['[create]\nport = 80\nhealth_path = "healthz"', /begins with a slash/],
    ['create = 80', /must be a table/],
    ['[[create]]\nport = 80', /must be a table/],
    ['create = 2026-01-01T00:00:00Z', /must be a table/],
    ['project = 5', /"project" must be a text/],
    ['service = ""', /"service" must be a text/],
    ['project = "a"\nproject = "b"', /line 2, column/],
    ['project = "shop', /line 1, column/],
    ['\uFEFF\u0000', /line 1, column/],
  ];
  for (const [text, message] of bad) {
    it(`is refused when it says ${JSON.stringify(text)}`, () => {
      assert.throws(
        () => parseManifest(text, 'dir/.svc'),
        (error: Error & { exitCode: number }) => {
          assert.equal(error.exitCode, 5);
          assert.match(error.message, /^dir\/\.svc: /);
          assert.match(error.message, message);
          assert.doesNotMatch(error.message, /\n/);
          return true;
        },
      );
    });
  }

  it('is read from the root of the tree, and empty where there is none', async (test) => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-manifest-'));
    test.after(() => rm(dir, { recursive: true, force: true }));
    assert.deepEqual(await readManifest(dir), {});
    assert.deepEqual(await readManifest(join(dir, 'missing')), {});
    await writeFile(join(dir, '.svc'), 'project = "shop"');
    assert.deepEqual(await readManifest(dir), { project: 'shop' });
  });

  it('is refused where it cannot be read', async (test) => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-manifest-'));
    test.after(() => rm(dir, { recursive: true, force: true }));
    await mkdir(join(dir, '.svc'));
    await assert.rejects(readManifest(dir), { exitCode: 5, message: /cannot be read/ });
  });
});
