/** What consoles leave behind when the control plane is killed: nothing, soon after the next start, and nobody else is harmed. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, it } from 'node:test';
import { app, type App } from '../support/apps.ts';
import { endConsoles, execPipes, execTerminal } from '../support/console-process.ts';
import { engineCall } from '../support/http-answer.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { containersOf, createService } from '../support/node-api.ts';
import { processesWith } from '../support/processes.ts';

/** How long a sleep of a test lasts: an argument that no other process has. */
const mark = () => String(200_000_000 + randomBytes(3).readUIntBE(0, 3));
/** Neither a shell nor a `kill` that anybody would find. */
const bare = [
  'FROM busybox AS full',
  'RUN mkdir /www && echo hello > /www/index.html',
  'FROM scratch',
  'COPY --from=full /bin/busybox /busybox',
  'COPY --from=full /www /www',
];
const own = mark();

let node: TestNode;
let env: NodeJS.ProcessEnv;
const apps: App[] = [];

before(async () => {
  node = await startNode();
  env = { SVC_CONFIG_DIR: node.clientDir, NO_COLOR: '1' };
  const serve = `/busybox sleep ${own} & exec /busybox httpd -f -p $PORT -h /www`;
  const command = JSON.stringify(['/busybox', 'sh', '-c', serve]);
  await createService(node, { name: 'bare' });
  apps.push(await app('demo/bare', { Dockerfile: [...bare, `CMD ${command}`, ''].join('\n') }));
  for (const { dir } of apps) await must(node.svc(['push'], { cwd: dir }));
});

after(async () => {
  endConsoles();
  await node.stop();
  for (const made of apps) await made.remove();
});

const there = (word: string, count = 1) =>
  until(`${word} runs`, async () => (await processesWith(word)).length === count);
const gone = (word: string) => until(`${word} is gone`, async () => (await processesWith(word)).length === 0);

it('ends with the next start, also what has left its terminal or does not hear', async () => {
  const [terminal, piped, byHand] = [mark(), mark(), mark()];
  const script = `trap '' HUP; /busybox setsid /busybox sleep ${terminal} & /busybox sleep ${terminal}`;
  const one = execTerminal(env, ['demo/bare', '--', '/busybox', 'sh', '-c', script]);
  // It ends by itself, with its input: what it began goes on.
  const other = execPipes(env, [
    'demo/bare',
    '--',
    '/busybox',
    'sh',
    '-c',
    `/busybox sleep ${piped} & exec /busybox cat`,
  ]);
  await there(terminal, 2);
  await there(piped);
  await execByHand(['/busybox', 'sleep', byHand]);
  await there(byHand);

  await node.kill('SIGKILL');
  assert.equal(await one.ended, 6);
  assert.equal(await other.ended, 6);
  assert.equal((await processesWith(terminal)).length, 2);
  await node.start();
  await gone(terminal);
  await gone(piped);

  assert.equal((await processesWith(own)).length, 1);
  assert.equal((await processesWith(byHand)).length, 1);
  assert.equal((await node.get('bare.demo.localhost')).text, 'hello\n');
});

it('ends nothing of a console that is open, however long that is', async () => {
  const word = mark();
  const running = execTerminal(env, [
    'demo/bare',
    '--',
    '/busybox',
    'sh',
    '-c',
    `exec /busybox sleep ${word}`,
  ]);
  await there(word);
  // Longer than there is between two looks at what was left.
  await new Promise((resolve) => setTimeout(resolve, 12_000));
  assert.equal((await processesWith(word)).length, 1);
  running.child.stdin.write('\u0003');
  assert.equal(await running.ended, 130);
  await gone(word);
});

/** As with `docker exec`, by somebody who is not svc. */
async function execByHand(Cmd: string[]): Promise<void> {
  const [container] = await containersOf(node);
  const made = await engineCall(
    node.engine,
    'POST',
    `/containers/${container?.Id ?? ''}/exec`,
    JSON.stringify({ Cmd }),
  );
  const { Id } = JSON.parse(made.text) as { Id: string };
  const started = await engineCall(
    node.engine,
    'POST',
    `/exec/${Id}/start`,
    JSON.stringify({ Detach: true }),
  );
  assert.equal(started.status, 200, started.text);
}
