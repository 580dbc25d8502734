/** Consoles and streams through the control domain over TLS: a certificate of a private authority, trusted as the README says. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { app, type App } from '../support/apps.ts';
import { startDnsServer, type DnsServer } from '../support/dns-server.ts';
import { askTls } from '../support/https.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { createService, fromApi } from '../support/node-api.ts';
import { startPebble, type Pebble } from '../support/pebble.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const control = 'control.example.test';
/** Of util-linux, which every Debian has. */
const unshare = '/usr/bin/unshare';
const place = temporaryDirectory();
const program = new URL('../../cli/main.ts', import.meta.url).pathname;

let dns: DnsServer;
let pebble: Pebble;
let node: TestNode;
let web: App;
let url: string;

before(async () => {
  dns = await startDnsServer();
  await dns.point(control, '127.0.0.1');
  node = await startNode(async ({ http }) => {
    pebble = await startPebble({ dns: dns.server, httpPort: http });
    return [
      ...['--control-domain', control, '--acme-email', 'ops@example.test'],
      ...['--acme-directory', pebble.directory, '--acme-ca-file', pebble.caFile],
      ...['--dns-servers', dns.server, '--public-http-port', String(http), '--fetch-allow', '127.0.0.0/8'],
    ];
  });
  url = `https://${control}:${node.httpsPort}`;
  await writeFile(join(place, 'hosts'), `127.0.0.1 ${control}\n`);
  await writeFile(join(place, 'ca.pem'), await pebble.root());
  await createService(node, { name: 'web' });
  const workload = 'echo up; exec httpd -f -p $PORT -h /www';
  web = await app('demo/web', {
    Dockerfile: `FROM busybox\nRUN mkdir /www && echo hello > /www/index.html\nCMD ${workload}\n`,
  });
  await must(node.svc(['push'], { cwd: web.dir }));
  await until('the control domain has its certificate', () =>
    askTls(node.httpsPort, control, undefined).then(
      () => true,
      () => false,
    ),
  );
});

after(async () => {
  await node.stop();
  await pebble.stop();
  await dns.stop();
  await web.remove();
});

interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

/**
 * `svc` on a machine that finds the control domain at this one: in a mount namespace with a hosts file of its own.
 * @param end ends it once this is printed
 */
async function svc(
  args: string[],
  trust: boolean,
  { input = '', end }: { input?: string; end?: string } = {},
) {
  const { token } = await fromApi<{ token: string }>(node, 'POST', '/v1/auth/login', {
    ...{ username: 'admin', password: 'correct horse battery' },
  });
  const env = { ...process.env, SVC_URL: url, SVC_TOKEN: token, NO_COLOR: '1' };
  const own = trust ? { NODE_EXTRA_CA_CERTS: join(place, 'ca.pem') } : {};
  const mount = 'mount --bind "$0" /etc/hosts && exec "$@"';
  const words = ['--mount', 'sh', '-c', mount, join(place, 'hosts'), process.execPath, program, ...args];
  return new Promise<Ran>((resolve) => {
    const child = execFile(unshare, words, { env: { ...env, ...own } }, (error, stdout, stderr) =>
      resolve({ code: error === null ? 0 : Number(error.code ?? -1), stdout, stderr }),
    );
    child.stdin?.end(input);
    let printed = '';
    child.stdout?.on('data', (chunk: string) => {
      printed += chunk;
      if (end !== undefined && printed.includes(end)) child.kill('SIGINT');
    });
  });
}

describe('over the control domain and TLS', () => {
  it('svc exec has its pipes and the exit code of the command', async () => {
    const ran = await svc(['exec', 'demo/web', '--', 'sh', '-c', 'cat; echo oh >&2; exit 9'], true, {
      input: 'ø\n',
    });
    assert.deepEqual(ran, { code: 9, stdout: 'ø\n', stderr: 'oh\n' });
  });

  it('svc logs -f follows until it is ended', async () => {
    const ran = await svc(['logs', 'demo/web', '-f'], true, { end: 'up\n' });
    assert.match(ran.stdout, /up\n$/);
    assert.equal(ran.stderr, '');
  });

  it('who does not trust the authority is told so, in one line, with what to do', async () => {
    for (const args of [
      ['exec', 'demo/web', '--', 'true'],
      ['logs', 'demo/web', '-f'],
    ]) {
      const { code, stdout, stderr } = await svc(args, false);
      assert.equal(code, 6, stderr);
      assert.equal(stdout, '');
      assert.match(
        stderr,
        /^svc: .*certificate of the node .* is not trusted here.*\n.*NODE_EXTRA_CA_CERTS.*\n$/,
      );
    }
  });
});
