/** The rules of the house can fail: each planted mistake is found. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { ESLint } from 'eslint';

// In CI the type-aware parser reads each file once, from disk: a planted mistake that is only text would not be seen.
process.env['TSESTREE_SINGLE_RUN'] = 'false';

const root = fileURLToPath(new URL('../../', import.meta.url));

describe('import rules', () => {
  let dir: string;
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'svc-rules-'));
    await symlink(join(root, 'node_modules'), join(dir, 'node_modules'));
    for (const file of ['tsconfig.json', 'package.json'])
      await writeFile(join(dir, file), await readFile(join(root, file)));
    await plant('specs/clock.ts', 'export const clock = 1;');
    await plant('api/app.ts', 'export const app = 1;');
    await plant('api/store/store.ts', 'export const store = 1;');
    await plant('controllers/service/plan.ts', 'export const plan = 1;');
    await plant('controllers/service/observe.ts', "import '../../api/store/store.ts';");
    await plant('ingress/index.ts', "import '../specs/clock.ts';");
    await plant('test/support/fake.ts', 'export const fake = 1;');
  });
  after(() => rm(dir, { recursive: true }));

  async function plant(path: string, text: string): Promise<void> {
    await mkdir(dirname(join(dir, path)), { recursive: true });
    await writeFile(join(dir, path), text);
  }

  function broken(): Promise<string[]> {
    const args = [
      '--config',
      join(root, 'test/config/imports.cjs'),
      '-T',
      'json',
      'api',
      'controllers',
      'ingress',
      'specs',
      'test',
    ];
    return new Promise((resolve, reject) => {
      execFile(
        join(root, 'node_modules/.bin/depcruise'),
        args,
        { cwd: dir, maxBuffer: 2 ** 26 },
        (_, stdout, stderr) => {
          try {
            const { summary } = JSON.parse(stdout) as {
              summary: { violations: { rule: { name: string } }[] };
            };
            resolve(summary.violations.map(({ rule }) => rule.name));
          } catch (error) {
            reject(new Error(`${stdout}\n${stderr}`, { cause: error }));
          }
        },
      );
    });
  }

  it('let the allowed arrows pass', async () => assert.deepEqual(await broken(), []));

  const planted: [path: string, text: string, rule: string][] = [
    ['specs/planted.ts', "import '../api/app.ts';", 'specs-imports'],
    ['api/planted.ts', "import '../controllers/service/plan.ts';", 'api-imports'],
    ['api/store/planted.ts', "import '../app.ts';", 'store-knows-no-routes'],
    ['ingress/planted.ts', "import '../api/store/store.ts';", 'ingress-imports'],
    ['controllers/replica/planted.ts', "import '../../api/app.ts';", 'controllers-imports'],
    ['controllers/replica/planted.ts', "import '../service/plan.ts';", 'kinds-are-islands'],
    ['controllers/replica/plan.ts', "import { x } from './io.ts';\nx();", 'pure-files'],
    ['specs/planted.ts', "import '../test/support/fake.ts';", 'nobody-imports-tests'],
    [
      'controllers/replica/planted.ts',
      "import Docker from 'dockerode';\nnew Docker();",
      'dockerode-has-one-place',
    ],
    [
      'controllers/replica/planted.ts',
      "import PQueue from 'p-queue';\nnew PQueue();",
      'pqueue-has-one-place',
    ],
  ];
  for (const [path, text, rule] of planted) {
    it(`find ${rule} in ${path}`, async () => {
      await plant('controllers/replica/io.ts', 'export const x = () => 1;');
      await plant(path, text);
      try {
        assert.ok((await broken()).includes(rule));
      } finally {
        await rm(join(dir, path));
      }
    });
  }
});

describe('pure files', () => {
  const eslint = new ESLint({ cwd: root, overrideConfigFile: join(root, 'test/config/eslint.config.js') });
  const file = join(root, 'controllers/service/plan.ts');

  async function restricted(addition: string): Promise<boolean> {
    const text = `${await readFile(file, 'utf8')}\n${addition}\n`;
    const [result] = await eslint.lintText(text, { filePath: file });
    return result?.messages.some(({ ruleId }) => ruleId === 'no-restricted-syntax') === true;
  }

  it('are clean as they are', async () => assert.equal(await restricted(''), false));
  for (const addition of [
    'export const now = Date.now();',
    'export const when = new Date();',
    'export const luck = Math.random();',
    'export async function later(): Promise<number> { return await Promise.resolve(1); }',
    "import 'node:fs';",
  ]) {
    it(`may not hold: ${addition}`, async () => assert.equal(await restricted(addition), true));
  }
});
