/** Every example that can be pushed is pushed as it is, and answers. */
import assert from 'node:assert/strict';
import { globSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { parse } from 'smol-toml';
import { must, startNode, type TestNode } from '../support/node.ts';
import { createService } from '../support/node-api.ts';

const examples = fileURLToPath(new URL('../../examples/', import.meta.url));
const folders = globSync('*/Dockerfile', { cwd: examples }).map(dirname).sort();

/** What each answers. */
const answers: Record<string, RegExp> = { hello: /Hello/ };

interface Manifest {
  project: string;
  service: string;
  create: { port: number; health_path?: string };
}

async function manifestOf(folder: string): Promise<Manifest> {
  return parse(await readFile(join(folder, '.svc'), 'utf8')) as unknown as Manifest;
}

let node: TestNode;

before(async () => {
  node = await startNode();
});

after(() => node.stop());

describe('the examples', () => {
  it('have a line each here', () => {
    assert.deepEqual(folders, Object.keys(answers).sort());
  });

  for (const folder of folders) {
    it(`${folder} is pushed and answers`, async () => {
      const path = join(examples, folder);
      const { project, service: name, create } = await manifestOf(path);
      assert.equal(project, 'demo', 'the project that the quickstart makes');
      assert.equal(name, basename(path));
      await createService(node, { project, name, ...create });
      await must(node.svc(['push', '--path', path]));
      const { status, text } = await node.get(`${name}.${project}.localhost`);
      assert.equal(status, 200);
      assert.match(text, answers[folder] ?? /^$/);
    });
  }
});
