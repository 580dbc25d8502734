/** Hidden questions, on a terminal of the system. */
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { describe, it, type TestContext } from 'node:test';
import { fileURLToPath } from 'node:url';
import { giveService, testApi } from '../support/api.ts';
import { listening } from '../support/cli.ts';
import { eventually } from '../support/eventually.ts';

const main = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

/** A command on a pseudo-terminal, and a person before it. */
function onTerminal(test: TestContext, line: string, env: Record<string, string>) {
  // script(1) of util-linux: gives its child a terminal and copies what that shows.
  const command = `'${process.execPath}' '${main}' ${line}`;
  const child = spawn('script', ['--quiet', '--return', '--command', command, '/dev/null'], {
    env: { PATH: process.env['PATH'], HOME: '/nonexistent', ...env },
  });
  test.after(() => child.kill('SIGKILL'));
  let shown = '';
  child.stdout.on('data', (chunk: Buffer) => (shown += chunk.toString()));
  const ended = new Promise<number | null>((resolve) => child.on('close', resolve));
  return {
    ended,
    shown: () => shown,
    async answer(question: string, text: string) {
      await eventually(() => shown.endsWith(question));
      child.stdin.write(text);
    },
  };
}

describe('a hidden question', () => {
  it('shows nothing of what is typed, takes corrections, and gives the terminal back', async (test) => {
    const api = await testApi(test);
    const { service } = await giveService(api);
    const env = { SVC_URL: await listening(api), SVC_TOKEN: api.token };
    const person = onTerminal(test, 'secrets set shop/web TOKEN --no-follow', env);
    await person.answer('Value of TOKEN: ', 'wrong\u0015hush-hushx\u007f\r');
    assert.equal(await person.ended, 0, person.shown());
    assert.doesNotMatch(person.shown(), /hush|wrong/);
    assert.match(person.shown(), /secret\/shop\/web\/TOKEN set/);
    const ref = { kind: 'env', owner: service.id, name: 'TOKEN', version: 1 } as const;
    assert.equal(await api.store.vault.open(ref), 'hush-hush');
  });

  it('is left by Ctrl-C, and nothing is done', async (test) => {
    const api = await testApi(test);
    const { service } = await giveService(api);
    const env = { SVC_URL: await listening(api), SVC_TOKEN: api.token };
    const person = onTerminal(test, 'secrets set shop/web TOKEN', env);
    await person.answer('Value of TOKEN: ', 'hush\u0003');
    assert.equal(await person.ended, 130);
    assert.doesNotMatch(person.shown(), /hush/);
    assert.deepEqual((await api.store.get('Service', service.id))?.spec.secrets, {});
  });

  it('is asked again for a new password', async (test) => {
    const api = await testApi(test);
    const env = { SVC_URL: await listening(api), SVC_TOKEN: api.token };
    const person = onTerminal(test, 'users create grace', env);
    await person.answer('Password for grace: ', 'correct horse battery\r');
    await person.answer('The same again: ', 'correct horse battery\r');
    assert.equal(await person.ended, 0, person.shown());
    assert.doesNotMatch(person.shown(), /horse/);
    assert.notEqual(await api.accounts.findUser('grace'), undefined);
  });
});
