import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { chmod, mkdir, mkdtemp, readFile, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { text } from 'node:stream/consumers';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { giveService, testApi } from '../support/api.ts';
import { listening } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';
import { answerJson, scriptedServer } from '../support/http-server.ts';

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
const cache = fileURLToPath(new URL('../../node_modules/.cache/svc-test', import.meta.url));
const launcher = fileURLToPath(new URL('../../cli/svc', import.meta.url));

async function folder(test: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'svc-main-'));
  test.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

interface Running {
  child: ChildProcess;
  outcome: Promise<{ code: number | null; stdout: string; stderr: string }>;
}

function start(
  test: TestContext,
  command: string,
  args: readonly string[],
  options: { env?: object; cwd?: string } = {},
): Running {
  const env = {
    PATH: process.env['PATH'],
    HOME: options.cwd ?? tmpdir(),
    XDG_CACHE_HOME: cache,
    ...options.env,
  };
  const child = spawn(command, args, {
    env,
    stdio: ['pipe', 'pipe', 'pipe'],
    ...(options.cwd && { cwd: options.cwd }),
  });
  child.stdin.on('error', () => undefined);
  test.after(() => child.kill('SIGKILL'));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  const outcome = Promise.all([ended, text(child.stdout), text(child.stderr)]).then(
    ([code, stdout, stderr]) => ({ code, stdout, stderr }),
  );
  return { child, outcome };
}

const node = (test: TestContext, args: readonly string[], options?: { env?: object; cwd?: string }) =>
  start(test, process.execPath, [main, ...args], options);

describe('the program', () => {
  it('ends with the code of its command', async (test) => {
    const { version } = JSON.parse(
      await readFile(new URL('../../package.json', import.meta.url), 'utf8'),
    ) as { version: string };
    assert.deepEqual(await node(test, ['version']).outcome, {
      code: 0,
      stdout: `svc ${version}\n`,
      stderr: '',
    });
    assert.equal((await node(test, ['frobnicate']).outcome).code, 2);
    const dir = await folder(test);
    assert.equal((await node(test, ['get', 'services'], { env: { SVC_CONFIG_DIR: dir } }).outcome).code, 3);
  });

  it('gets its own options, none of which Node takes for itself', async (test) => {
    const dir = await folder(test);
    const argv = ['secrets', 'set', 'shop/web', '--from-env-file', 'no.env'];
    const env = { SVC_URL: 'http://127.0.0.1:1', SVC_TOKEN: 'svc_api_test' };
    assert.deepEqual(await node(test, argv, { cwd: dir, env }).outcome, {
      code: 5,
      stdout: '',
      stderr: 'svc: no.env cannot be read: it is not there.\n',
    });
  });

  it('does not count as done when it was cut short', async (test) => {
    const hooks = join(await folder(test), 'hooks.mjs');
    // What is awaited will never come, and nothing keeps the process alive.
    const source = 'export const run = () => new Promise(() => undefined);';
    await writeFile(
      hooks,
      `import { registerHooks } from 'node:module';
      const stuck = { format: 'module', source: ${JSON.stringify(source)}, shortCircuit: true };
      registerHooks({ load: (url, context, next) => (url.endsWith('/cli/run.ts') ? stuck : next(url, context)) });`,
    );
    const { code, stdout } = await start(test, process.execPath, ['--import', hooks, main, 'version'])
      .outcome;
    assert.equal(stdout, '');
    assert.notEqual(code, 0);
  });

  it('does not mind a reader that leaves', async (test) => {
    const items = Array.from({ length: 20_000 }, (_, i) => ({
      name: `project-${i}`,
      created_at: '2030-01-01T00:00:00Z',
      id: `prj_${i}`,
    }));
    const server = await scriptedServer(test, (_asked, response) =>
      answerJson(response, { items, next_cursor: null }),
    );
    const env = { SVC_URL: server.url, SVC_TOKEN: 'svc_api_test' };
    const line = `{ '${process.execPath}' '${main}' get projects -o name; echo "code $?" >&2; } | head -n 1`;
    const { stdout, stderr } = await start(test, 'sh', ['-c', line], { env }).outcome;
    assert.deepEqual([stdout, stderr], ['project/project-0\n', 'code 0\n']);
  });

  it('leaves a deployment to the node on SIGINT', async (test) => {
    const api = await testApi(test);
    await giveService(api);
    const [cwd, url] = [await folder(test), await listening(api)];
    await writeFile(join(cwd, 'Dockerfile'), 'FROM busybox\n');
    const { child, outcome } = node(test, ['push', '-p', 'shop', '-s', 'web'], {
      cwd,
      env: { SVC_URL: url, SVC_TOKEN: api.token },
    });
    await eventually(() => api.logs.listening > 0);
    child.kill('SIGINT');
    const { code, stderr } = await outcome;
    assert.equal(code, 130);
    assert.match(stderr, /Detached: the node goes on with deployment 1/);
    assert.ok(!stderr.includes(api.token));
  });

  it('never has a token or a password among its arguments', async (test) => {
    const server = await scriptedServer(test, () => undefined);
    const env = { SVC_URL: server.url, SVC_TOKEN: 'svc_api_hush' };
    const { child } = node(test, ['get', 'projects'], { env });
    await eventually(() => server.asked.length === 1);
    assert.doesNotMatch(await readFile(`/proc/${child.pid ?? 0}/cmdline`, 'utf8'), /hush/);
  });
});

describe('a password typed at a terminal', () => {
  it('is not shown, can be mended, and logs in', async (test) => {
    const dir = await folder(test);
    const server = await scriptedServer(test, ({ path }, response) => {
      if (path === '/v1/auth/login') answerJson(response, { token: 'svc_session_x', user: {} });
      else if (path === '/v1/api-tokens') answerJson(response, { token: 'svc_api_x' }, 201);
      else if (path === '/v1/me') answerJson(response, { user: { username: 'ada' } });
      else response.writeHead(204).end();
    });
    const line = `'${process.execPath}' '${main}' auth --url ${server.url}`;
    const { child } = start(test, 'script', ['-qec', line, '/dev/null'], {
      cwd: dir,
      env: { SVC_CONFIG_DIR: dir },
    });
    let screen = '';
    child.stdout?.on('data', (chunk: Buffer) => (screen += chunk.toString()));
    await eventually(() => screen.includes('User name: '));
    child.stdin?.write('ada\n');
    await eventually(() => screen.includes('Password: '));
    child.stdin?.write('wrong\u0015hush huzz\u007f\u007fsh\r');
    await eventually(() => screen.includes('Logged in'));
    assert.deepEqual(JSON.parse(server.asked[0]?.body ?? ''), { username: 'ada', password: 'hush hush' });
    assert.doesNotMatch(screen, /hu|wrong|zz/);
  });

  it('is not taken on Ctrl-C', async (test) => {
    const dir = await folder(test);
    const line = `'${process.execPath}' '${main}' auth --url http://127.0.0.1:1 --username ada`;
    const { child, outcome } = start(test, 'script', ['-qec', line, '/dev/null'], {
      cwd: dir,
      env: { SVC_CONFIG_DIR: dir },
    });
    let screen = '';
    child.stdout?.on('data', (chunk: Buffer) => (screen += chunk.toString()));
    await eventually(() => screen.includes('Password: '));
    child.stdin?.write('hush\u0003');
    assert.equal((await outcome).code, 130);
    assert.doesNotMatch(screen, /hush/);
  });
});

describe('the launcher', () => {
  /** A checkout in which main.ts tells who ran it, with what. */
  async function checkout(test: TestContext): Promise<string> {
    const dir = await folder(test);
    await mkdir(join(dir, 'cli'));
    await writeFile(join(dir, 'cli/svc'), await readFile(launcher));
    await chmod(join(dir, 'cli/svc'), 0o755);
    await writeFile(join(dir, 'cli/main.ts'), '');
    return dir;
  }

  async function fakeNode(path: string, name: string, major: number): Promise<void> {
    await mkdir(dirname(path), { recursive: true });
    await writeFile(
      path,
      `#!/bin/sh\nif [ "$1" = -e ]; then [ ${major} -ge 24 ]; exit; fi\necho "${name}: $*"\n`,
    );
    await chmod(path, 0o755);
  }

  const path = (dir: string) => `${join(dir, 'bin')}:/usr/bin:/bin`;

  it('runs with the Node of its own checkout', async (test) => {
    const dir = await checkout(test);
    await fakeNode(join(dir, 'node_modules/.bin/node'), 'own', 24);
    await fakeNode(join(dir, 'bin/node'), 'other', 24);
    const { code, stdout } = await start(test, join(dir, 'cli/svc'), ['push', 'a b', '*'], {
      env: { PATH: path(dir) },
    }).outcome;
    assert.deepEqual([code, stdout], [0, `own: -- ${dir}/cli/main.ts push a b *\n`]);
  });

  it('runs from a link on PATH, and from any directory', async (test) => {
    const dir = await checkout(test);
    await fakeNode(join(dir, 'node_modules/.bin/node'), 'own', 24);
    await mkdir(join(dir, 'bin'));
    await symlink('../cli/svc', join(dir, 'bin/link'));
    await symlink(join(dir, 'bin/link'), join(dir, 'bin/svc'));
    const { stdout } = await start(test, 'svc', ['version'], { cwd: dir, env: { PATH: path(dir) } }).outcome;
    assert.equal(stdout, `own: -- ${dir}/cli/main.ts version\n`);
    assert.equal(
      (await start(test, 'sh', ['svc', 'version'], { cwd: join(dir, 'cli') }).outcome).stdout,
      `own: -- ${dir}/cli/main.ts version\n`,
    );
  });

  it('takes the Node on PATH where there is none, if it is new enough', async (test) => {
    const dir = await checkout(test);
    await fakeNode(join(dir, 'bin/node'), 'other', 24);
    assert.equal(
      (await start(test, join(dir, 'cli/svc'), [], { env: { PATH: path(dir) } }).outcome).stdout,
      `other: -- ${dir}/cli/main.ts\n`,
    );
    await fakeNode(join(dir, 'bin/node'), 'old', 20);
    const { code, stdout, stderr } = await start(test, join(dir, 'cli/svc'), [], { env: { PATH: path(dir) } })
      .outcome;
    assert.deepEqual([code, stdout], [1, '']);
    assert.match(stderr, /Node 24 or newer is needed[^]*npm ci/);
  });

  it('leaves what Node would take for itself to svc', async (test) => {
    const { code, stderr } = await start(test, launcher, ['secrets', 'set', '--env-file', 'no.env']).outcome;
    assert.equal(code, 2);
    assert.match(stderr, /^svc: There is no option --env-file\./);
  });

  it('starts the real thing', async (test) => {
    const { code, stdout } = await start(test, launcher, ['version']).outcome;
    assert.equal(code, 0);
    assert.match(stdout, /^svc \d/);
  });
});
