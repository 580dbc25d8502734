/** A console on a terminal (script of util-linux), as it ends in every way: the terminal is what it was before. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { fileURLToPath } from 'node:url';
import { after, before, describe, it } from 'node:test';
import { app, serving, type App } from '../support/apps.ts';
import { endConsoles, execPipes, execTerminal, type Running } from '../support/console-process.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { createService } from '../support/node-api.ts';
import { processesWith } from '../support/processes.ts';

const program = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
let node: TestNode;
let web: App;
let env: NodeJS.ProcessEnv;

before(async () => {
  node = await startNode();
  env = { SVC_CONFIG_DIR: node.clientDir, NO_COLOR: '1' };
  await createService(node, { name: 'web' });
  web = await app('demo/web', { Dockerfile: serving, 'www/index.html': 'hello' });
  await must(node.svc(['push'], { cwd: web.dir }));
});

after(async () => {
  endConsoles();
  await node.stop();
  await web.remove();
});

const mark = () => String(500_000_000 + randomBytes(3).readUIntBE(0, 3));
/** Says that it is there, then sleeps; the client has the word as an argument as well. */
const begin = (word: string): Running =>
  execTerminal(env, ['demo/web', '--', 'sh', '-c', 'echo ready; sleep "$1"', 'sh', word], {
    before: 'stty -g',
    after: 'stty -g',
  });
async function clientWith(word: string): Promise<number> {
  const [all, clients] = [await processesWith(word), await processesWith(program)];
  const [pid] = all.filter((one) => clients.includes(one));
  assert.ok(pid !== undefined, 'the client runs');
  return pid;
}
const gone = (word: string) => until(`${word} is gone`, async () => (await processesWith(word)).length === 0);

function isRestored(running: Running): void {
  const settings = String(running.stdout()).match(/^[0-9a-f]+(?::[0-9a-f]+){10,}/gm) ?? [];
  assert.equal(settings.length, 2, String(running.stdout()));
  assert.equal(settings[1], settings[0]);
}

describe('the terminal is as it was', () => {
  for (const [signal, code] of [
    ['SIGTERM', 143],
    ['SIGHUP', 129],
  ] as const) {
    it(`after ${signal} to the client, and the command has ended`, async () => {
      const word = mark();
      const running = begin(word);
      await running.printed('ready');
      process.kill(await clientWith(word), signal);
      assert.equal(await running.ended, code);
      isRestored(running);
      await gone(word);
    });
  }

  it('after its replica has gone', async () => {
    const word = mark();
    const running = begin(word);
    await running.printed('ready');
    await must(node.svc(['restart', 'demo/web']));
    assert.equal(await running.ended, 137);
    isRestored(running);
    await gone(word);
  });

  it('after Ctrl-D, which ends the input of a shell', async () => {
    const running = execTerminal(env, ['demo/web'], { before: 'stty -g', after: 'stty -g' });
    running.child.stdin.write('echo $((40 + 2))\r');
    await running.printed('42\r\n');
    running.child.stdin.write('\u0004');
    assert.equal(await running.ended, 0);
    isRestored(running);
  });
});

describe('a terminal', () => {
  it('that knows no size has none in the command either', async () => {
    const running = execTerminal(env, ['demo/web', '--', 'sh', '-c', 'stty size; exit 5'], {
      before: 'stty cols 0 rows 0',
    });
    assert.equal(await running.ended, 5);
    // What busybox says where it is 0 by 0.
    assert.equal(String(running.stdout()), 'stty: standard input\r\n');
  });

  it('shows bytes that are no text as they are, and takes such', async () => {
    const show = 'stty raw -echo; printf "ready\\377\\376\\300\\200"; head -c 4 | od -An -tx1';
    const running = execTerminal(env, ['demo/web', '--', 'sh', '-c', show]);
    await running.printed('ready');
    running.child.stdin.write(Buffer.from([0xff, 0xfe, 0xc3, 0x28]));
    assert.equal(await running.ended, 0);
    assert.ok(running.stdout().includes(Buffer.from([0xff, 0xfe, 0xc0, 0x80])));
    assert.match(String(running.stdout()), /ff fe c3 28/);
  });

  it('is one of two at once, each with its own input, in the replica that is named', async () => {
    const asked = execPipes(env, ['demo/web', '--', 'sh', '-c', 'echo $SVC_REPLICA']);
    assert.equal(await asked.ended, 0);
    const replica = String(asked.stdout()).trim();
    assert.match(replica, /^rep_/);
    const line = ['demo/web', '-r', replica, '--', 'sh', '-c', 'read x; echo "$SVC_REPLICA got $x"'];
    const [one, other] = [execTerminal(env, line), execTerminal(env, line)];
    one.child.stdin.write('first\r');
    other.child.stdin.write('second\r');
    assert.deepEqual([await one.ended, await other.ended], [0, 0]);
    assert.ok(String(one.stdout()).includes(`${replica} got first`), String(one.stdout()));
    assert.ok(String(other.stdout()).includes(`${replica} got second`), String(other.stdout()));
  });
});

it('a console without any input ends with its command', async () => {
  const running = execPipes(env, ['demo/web', '--', 'sh', '-c', 'cat; echo over']);
  running.child.stdin.destroy();
  assert.equal(await running.ended, 0);
  assert.equal(String(running.stdout()), 'over\n');
});
