import assert from 'node:assert/strict';
import { connect, createServer, type Socket } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import { openChannel } from '../../ingress/channel.ts';
import { parseFromMember } from '../../ingress/protocol.ts';
import { sandbox, until } from './support/sandbox.ts';

interface Ends {
  client: Socket;
  received: unknown[];
  closed(): boolean;
}

async function open(t: TestContext, maxLine: number): Promise<Ends> {
  const { runDir } = await sandbox(t);
  const received: unknown[] = [];
  let closed = false;
  const server = createServer((socket) => {
    openChannel(socket, maxLine, { message: (value) => received.push(value), closed: () => (closed = true) });
  });
  await new Promise<void>((resolve) => server.listen(join(runDir, 's'), resolve));
  const client = connect(join(runDir, 's'));
  client.on('error', () => client.destroy());
  t.after(() => {
    client.destroy();
    server.close();
  });
  return { client, received, closed: () => closed };
}

test('lines arrive whole and in order, however they were cut', async (t) => {
  const { client, received } = await open(t, 100_000);
  const sent = [{ a: 1 }, { text: 'gr\u00fc\u00df dich\n' }, { long: 'x'.repeat(90_000) }, {}];
  const bytes = Buffer.from(sent.map((value) => `${JSON.stringify(value)}\n`).join(''));
  client.setNoDelay(true);
  for (let at = 0; at < bytes.length; at += 7) client.write(bytes.subarray(at, at + 7));
  await until('all are there', () => received.length === sent.length);
  assert.deepEqual(received, sent);
});

test('a line that is no JSON ends the channel', async (t) => {
  const { client, received, closed } = await open(t, 100);
  client.write('{"a":1}\nnonsense\n{"b":2}\n');
  await until('it is closed', closed);
  assert.deepEqual(received, [{ a: 1 }]);
});

test('a line without end costs no memory without end', async (t) => {
  const { client, closed } = await open(t, 1_000);
  client.write('x'.repeat(10_000));
  await until('it is closed', closed);
});

const hello = {
  type: 'hello',
  protocol: 1,
  program: 'p',
  role: 'worker',
  slot: 0,
  pid: 2,
  revision: 0,
  busy: [],
  draining: false,
};

const messages: [what: string, value: unknown, valid: boolean][] = [
  ['hello', hello, true],
  ['hello of another protocol', { ...hello, protocol: 99, more: 1 }, true],
  ['hello without a pid', { ...hello, pid: undefined }, false],
  ['hello as init', { ...hello, pid: 1 }, false],
  ['hello as a group', { ...hello, pid: -5 }, false],
  ['hello in a role that is none', { ...hello, role: 'root' }, false],
  ['applied', { type: 'applied', revision: 3, busy: ['a'] }, true],
  ['applied without busy', { type: 'applied', revision: 3 }, false],
  ['applied of no number', { type: 'applied', revision: '3', busy: [] }, false],
  ['idle', { type: 'idle', replica: 'a' }, true],
  ['idle of nothing', { type: 'idle' }, false],
  ['report', { type: 'report', level: 'warn', message: 'm', fields: {} }, true],
  [
    'report with a level that is a method',
    { type: 'report', level: 'constructor', message: 'm', fields: {} },
    false,
  ],
  ['something else', { type: 'other' }, false],
  ['null', null, false],
  ['a number', 1, false],
];

for (const [what, value, valid] of messages) {
  test(`${what} is ${valid ? '' : 'no '}message`, () =>
    assert.equal(parseFromMember(value) !== undefined, valid));
}
