/** Consoles on a real node and a real engine, as their users have them: pipes, terminals, and what ends them. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { ServiceResource } from '../../specs/resources.ts';
import { app, serving, type App } from '../support/apps.ts';
import { consoleClient } from '../support/console-client.ts';
import { endConsoles, execPipes, execTerminal } from '../support/console-process.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { callApi, containersOf, createService, fromApi } from '../support/node-api.ts';
import { processesWith } from '../support/processes.ts';

const control = 'control.example';
let node: TestNode;
let web: App;
let service: ServiceResource;
let env: NodeJS.ProcessEnv;

before(async () => {
  node = await startNode(['--control-domain', control]);
  env = { SVC_CONFIG_DIR: node.clientDir, NO_COLOR: '1' };
  service = await createService(node, { name: 'web' });
  web = await app('demo/web', { Dockerfile: serving, 'www/index.html': 'hello' });
  await must(node.svc(['push'], { cwd: web.dir }));
});

after(async () => {
  endConsoles();
  await node.stop();
  await web.remove();
});

const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');
const sh = (script: string, ...flags: string[]) => ['demo/web', ...flags, '--', 'sh', '-c', script];
/** How long a sleep of a test lasts: an argument that no other process has, not even the one that asks for it. */
const mark = () => String(100_000_000 + randomBytes(3).readUIntBE(0, 3));
const gone = (word: string) => until(`${word} is gone`, async () => (await processesWith(word)).length === 0);
const there = (word: string) => until(`${word} runs`, async () => (await processesWith(word)).length > 0);

async function ticket(): Promise<string> {
  const path = `/v1/services/${service.id}/console/tickets`;
  const body = { command: ['cat'], tty: false };
  return (await fromApi<{ ticket: string }>(node, 'POST', path, body)).ticket;
}

describe('svc exec with pipes', () => {
  it('is byte-exact both ways, for 100 MB', async () => {
    const bytes = randomBytes(100 * 2 ** 20);
    const running = execPipes(env, ['demo/web', '--', 'cat']);
    running.child.stdin.end(bytes);
    assert.equal(await running.ended, 0, String(running.stderr()));
    assert.equal(running.stdout().length, bytes.length);
    assert.equal(sha256(running.stdout()), sha256(bytes));
    assert.equal(String(running.stderr()), '');
  });

  it('has stdout and stderr apart, and the exit code of the command', async () => {
    const bytes = randomBytes(2 ** 20);
    const running = execPipes(env, sh('echo to stdout; cat >&2; exit 7'));
    running.child.stdin.end(bytes);
    assert.equal(await running.ended, 7);
    assert.equal(String(running.stdout()), 'to stdout\n');
    assert.equal(sha256(running.stderr()), sha256(bytes));
  });

  it('does not fill any memory when its output is not read', async () => {
    const before = await memory();
    const word = mark();
    const running = execPipes(env, sh(`sleep ${word} & exec yes`));
    running.child.stdout.pause();
    running.child.stdout.removeAllListeners('data');
    await there(word);
    await setTimeout(3_000);
    const grown = (await memory()) - before;
    assert.ok(grown < 64 * 2 ** 20, `the node has grown by ${grown} bytes`);
    running.child.kill('SIGKILL');
    await gone(word);
  });

  it('ends what it ran when its user ends it, and when it is killed', async () => {
    for (const signal of ['SIGINT', 'SIGKILL'] as const) {
      const word = mark();
      const running = execPipes(env, sh(`sleep ${word} & sleep ${word}`));
      await there(word);
      running.child.kill(signal);
      assert.equal(await running.ended, signal === 'SIGINT' ? 130 : -1);
      await gone(word);
    }
  });

  it('says what is not there', async () => {
    const missing = execPipes(env, ['demo/nosuch', '--', 'true']);
    assert.equal(await missing.ended, 4);
    const replica = execPipes(env, sh('true', '--replica', 'rep_nosuch'));
    assert.equal(await replica.ended, 4);
    assert.match(String(replica.stderr()), /The service has no such replica/);
    const command = execPipes(env, ['demo/web', '--', 'nosuch']);
    assert.equal(await command.ended, 127);
    assert.equal(String(command.stdout()), '');
    assert.match(String(command.stderr()), /^The container has no command "nosuch": .*\n$/);
    const directory = execPipes(env, ['demo/web', '--', '/etc']);
    assert.equal(await directory.ended, 126);
    assert.match(String(directory.stderr()), /^The command "\/etc" cannot be run: .*\n$/);
  });
});

describe('svc exec on a terminal', () => {
  it('has a terminal of the same size, and follows it', async () => {
    const loop = 'echo ready; while :; do stty size; sleep 0.2; done';
    const running = execTerminal(env, sh(loop), { before: 'stty cols 101 rows 33; tty' });
    await running.printed('33 101\r\n');
    const [, terminal = ''] = /(\/dev\/pts\/\d+)/.exec(String(running.stdout())) ?? [];
    await promisify(execFile)('stty', ['-F', terminal, 'cols', '90', 'rows', '20']);
    await running.printed('20 90\r\n');
    running.child.stdin.write('\u0003');
    assert.equal(await running.ended, 130);
  });

  it('gives every key to the command, Ctrl-C too, and leaves the terminal as it was', async () => {
    const script = "trap 'echo caught; exit 42' INT; echo ready; while :; do sleep 0.1; done";
    const running = execTerminal(env, sh(script), { before: 'stty -g', after: 'stty -g' });
    await running.printed('ready');
    running.child.stdin.write('\u0003');
    assert.equal(await running.ended, 42);
    const [before, ...rest] = String(running.stdout()).trim().split('\r\n');
    assert.match(rest.join('\n'), /caught/);
    assert.equal(rest.at(-1), before);
  });

  it('is a shell when no command is named, hung up when the terminal is', async () => {
    const word = mark();
    const running = execTerminal(env, ['demo/web']);
    running.child.stdin.write(`echo $((40 + 2)); sleep ${word}\r`);
    await running.printed('42\r\n');
    await there(word);
    running.child.kill('SIGKILL');
    await gone(word);
  });

  it('is given back in order when the connection is lost', async () => {
    const word = mark();
    const running = execTerminal(env, sh(`sleep ${word}`), { before: 'stty -g', after: 'stty -g' });
    await there(word);
    await node.kill('SIGKILL');
    assert.equal(await running.ended, 6);
    const lines = String(running.stdout()).trim().split('\r\n');
    assert.match(lines.join('\n'), /The connection to the node .* was lost/);
    assert.equal(lines.at(-1), lines[0]);
    await node.start();
    await gone(word);
  });
});

describe('a console', () => {
  it('opens with a ticket once, also over the control domain', async () => {
    const path = `/v1/services/${service.id}/console/ws?ticket=`;
    const direct = `${node.apiUrl.replace('http', 'ws')}${path}`;
    const through = `ws://127.0.0.1:${node.httpPort}${path}`;
    for (const [url, headers] of [
      [direct, {}],
      [through, { host: control }],
    ] as const) {
      const one = await ticket();
      const opened = consoleClient(url + one, headers);
      assert.equal((await opened.answered).status, 101);
      const again = await consoleClient(url + one, headers).answered;
      assert.deepEqual([again.status, again.body.includes('"unauthenticated"')], [401, true]);
      opened.socket.send(Buffer.from('hello'));
      await until('it echoes', () => Promise.resolve(String(opened.bytes()) === 'hello'));
      opened.socket.send('{"eof": true}');
      assert.deepEqual(await opened.closed, { code: 1000, reason: '' });
      assert.deepEqual(opened.frames(), [{ exit: 0 }]);
    }
  });

  it('ends at once when its role is taken away', async () => {
    await must(node.svc(['users', 'create', 'ann', '--password-stdin'], { input: 'correct horse battery' }));
    await must(node.svc(['members', 'set', 'ann', 'Operator', '-p', 'demo']));
    const login = { username: 'ann', password: 'correct horse battery' };
    const { token } = await fromApi<{ token: string }>(node, 'POST', '/v1/auth/login', login);
    const word = mark();
    const running = execPipes({ SVC_URL: node.apiUrl, SVC_TOKEN: token }, sh(`sleep ${word}`));
    await there(word);
    await must(node.svc(['members', 'set', 'ann', 'Viewer', '-p', 'demo']));
    assert.equal(await running.ended, 3);
    assert.match(String(running.stderr()), /This takes the role Operator in the project; yours is Viewer/);
    await gone(word);
    const refused = execPipes({ SVC_URL: node.apiUrl, SVC_TOKEN: token }, ['demo/web', '--', 'true']);
    assert.equal(await refused.ended, 3);
  });

  it('ends with its container', async () => {
    const word = mark();
    const running = execPipes(env, sh(`sleep ${word}`));
    await there(word);
    await must(node.svc(['restart', 'demo/web']));
    assert.equal(await running.ended, 137);
    await gone(word);
  });

  it('ends when the node stops, with what it ran, and its user hears why', async () => {
    const word = mark();
    const running = execPipes(env, sh(`sleep ${word}`));
    await there(word);
    await node.kill('SIGTERM');
    assert.equal(await running.ended, 6);
    assert.match(String(running.stderr()), /The node is stopping/);
    assert.deepEqual(await processesWith(word), []);
    await node.start();
  });

  it('ends when its service is deleted', async () => {
    const word = mark();
    const running = execPipes(env, sh(`sleep ${word}`));
    await there(word);
    await must(node.svc(['delete', 'service', 'demo/web', '--yes']));
    assert.equal(await running.ended, 1);
    assert.match(String(running.stderr()), /The service is being deleted/);
    await gone(word);
  });

  it('is in the audit with its command and its end, and its ticket is nowhere', async () => {
    const { text } = await callApi(node, 'GET', '/v1/audit?limit=500');
    assert.match(
      text,
      /opened without a terminal in rep_\w+: \[\\"sh\\",\\"-c\\",\\"echo to stdout; cat >&2; exit 7\\"\]/,
    );
    assert.match(text, /ended after \d+ s: exit code 7/);
    assert.match(text, /ended after \d+ s: The client has gone/);
    assert.doesNotMatch(text + node.log(), /svc_ticket_/);
    assert.deepEqual(await containersOf(node), []);
  });
});

/** Bytes that the control plane has in memory. */
async function memory(): Promise<number> {
  const { stdout } = await promisify(execFile)('ps', ['-o', 'rss=', '-p', String(node.pid())]);
  return Number(stdout) * 1024;
}
