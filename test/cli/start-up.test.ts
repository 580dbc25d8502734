/** What a push loads: libraries that take longer to load than the rest of the command are not among it. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { it } from 'node:test';
import { promisify } from 'node:util';

const root = new URL('../../', import.meta.url).href;
const modules = ['cli/process.ts', 'cli/commands/push.ts', 'cli/client.ts', 'cli/pack/pack.ts'];
const script = `
  import { registerHooks } from 'node:module';
  const loaded = [];
  registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context); } });
  process.argv.push('version');
  for (const path of ${JSON.stringify(modules)}) await import(${JSON.stringify(root)} + path);
  console.error(JSON.stringify(loaded));
`;

it('a push loads no schema library, no HTTP client and no part of the node', async () => {
  const { stderr } = await promisify(execFile)(process.execPath, ['--input-type=module', '--eval', script]);
  const loaded = JSON.parse(stderr) as string[];
  assert.ok(loaded.some((url) => url.endsWith('cli/pack/pack.ts')));
  const heavy =
    /node_modules\/(@sinclair|undici|fastify|@mikro-orm|dockerode)|\/(api|controllers|ingress)\/|^node:http$/;
  assert.deepEqual(
    loaded.filter((url) => heavy.test(url.replace(root, '/'))),
    [],
  );
});
