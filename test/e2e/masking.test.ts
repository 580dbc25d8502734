/** Values that are known to be secret, printed by builds and workloads in every way: they are nowhere to be seen. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import { app, type App } from '../support/apps.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { callApi, createService, deploymentsOf, fromApi, tokenOf } from '../support/node-api.ts';

const token = `tok-${randomBytes(24).toString('hex')}`;
const key = generateKeyPairSync('rsa', {
  modulusLength: 1024,
  publicKeyEncoding: { type: 'spki', format: 'pem' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
}).privateKey;
const values: Record<string, string> = { TOKEN: token, KEY: key };

/** Prints what is in a file in every way. */
const leak = (file: string) =>
  [
    `echo the value: $(cat ${file}) end`,
    `cat ${file}; echo`,
    `fold -w 20 ${file}; echo`,
    `fold -w 7 ${file} >&2; echo >&2`,
    `base64 ${file}`,
    `printf 'user:%s' "$(cat ${file})" | base64 -w 20`,
    `sed "s/[a-f]/&$(printf '\\033[31m')/" ${file}; echo`,
  ].join('; ');
const leakAll = `for file in /token /key; do ${leak('$file')}; done`;
const files = { token, key };

let node: TestNode;
let leaky: App;
let service: ServiceResource;
/** Everything that was shown to anybody. */
const shown: [what: string, text: string][] = [];

before(async () => {
  node = await startNode();
  service = await createService(node, {
    name: 'leaky',
    health: { path: '/cgi-bin/health', deadline: '5s', interval: '100ms' },
    secrets: Object.keys(values),
  });
  await fromApi(node, 'PATCH', `/v1/services/${service.id}/secrets`, { set: values });
  leaky = await app('demo/leaky', files);
});

after(async () => {
  await node.stop();
  await leaky.remove();
});

/** Pushes, and looks at all that there is to see of it. @returns the deployment */
async function pushed(lines: readonly string[], health: string): Promise<DeploymentResource> {
  const dockerfile = ['FROM busybox', 'COPY token key /', ...lines, ''].join('\n');
  await leaky.write('Dockerfile', dockerfile);
  await leaky.write('www/cgi-bin/health', `#!/bin/sh\n${health}\n`, 0o755);
  const { stdout, stderr } = await node.svc(['push'], { cwd: leaky.dir });
  shown.push(['svc push', stdout + stderr]);
  const [deployment] = await deploymentsOf(node, service);
  assert.ok(deployment);
  await look(deployment.id);
  return deployment;
}

async function look(id: string): Promise<void> {
  for (const args of [
    ['logs', 'demo/leaky'],
    ['logs', 'demo/leaky', '--tail', '7'],
    ['logs', '--deployment', id],
    ['describe', 'service', 'leaky', '-p', 'demo'],
    ['describe', 'deployment', '-s', 'demo/leaky', id],
    ['get', 'deployments', '-s', 'demo/leaky', '-o', 'yaml'],
  ]) {
    const { code, stdout, stderr } = await node.svc(args);
    assert.equal(code, 0, stdout + stderr);
    shown.push([`svc ${args.join(' ')}`, stdout]);
  }
  for (const path of [
    `/v1/services/${service.id}/logs`,
    `/v1/deployments/${id}`,
    `/v1/deployments/${id}/logs`,
    `/v1/deployments/${id}/logs/stream`,
  ])
    shown.push([path, (await callApi(node, 'GET', path)).text]);
}

/** What a stream sends until a text has come. */
async function streamed(path: string, last: string, headers: Record<string, string> = {}): Promise<string> {
  const authorization = `Bearer ${await tokenOf(node)}`;
  const { body } = await fetch(`${node.apiUrl}${path}`, { headers: { authorization, ...headers } });
  assert.ok(body);
  let text = '';
  for await (const chunk of body.pipeThrough(new TextDecoderStream())) {
    text += chunk;
    if (text.includes(last)) break;
  }
  return text;
}

/** What must not be found: any part of a value, or of what it is in base64, that is long enough to be no accident. */
function parts(): Set<string> {
  const base64 = (text: string): string => Buffer.from(text).toString('base64');
  const secretTexts = [
    token,
    ...key.trim().split('\n').slice(1, -1),
    // Without the ends, which depend on what stands beside them, and the first and last line of the key.
    ...[base64(token), base64(`user:${token}`)].map((text) => text.slice(8, -4)),
    base64(key).slice(48, -48),
  ];
  const width = 14;
  return new Set(
    secretTexts.flatMap((text) =>
      Array.from({ length: Math.max(text.length - width + 1, 0) }, (_, at) => text.slice(at, at + width)),
    ),
  );
}

function assertNothingIn(what: string, text: string): void {
  for (const seen of [text, text.replaceAll(/\s/g, '')]) {
    const found = [...parts()].find((part) => seen.includes(part));
    const at = seen.indexOf(found ?? '');
    assert.equal(found, undefined, `${what} shows it: …${seen.slice(Math.max(0, at - 200), at + 100)}…`);
  }
}

async function kept(): Promise<[string, string][]> {
  const entries = await readdir(node.dataDir, { recursive: true, withFileTypes: true });
  const paths = entries.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return Promise.all(paths.map(async (path) => [path, await readFile(path, 'latin1')] as const));
}

const serve = 'httpd -f -p $PORT -h /www';
const refuses = `printf 'Status: 503\\r\\n\\r\\nno connection with "%s"' "$(cat /token)"`;
const answers = `printf 'Content-Type: text/plain\\r\\n\\r\\nfine'`;

describe('a secret that is printed', () => {
  it('by a build that fails', async () => {
    const { status, message } = await pushed(
      [`RUN echo a value in an instruction: ${token}`, `RUN ${leakAll}; exit 3`],
      answers,
    );
    assert.equal(status, 'Failed');
    assert.match(message, /exit code 3\n(?:.*\n)*.*\*\*\*/);
  });

  it('by a workload that dies of it', async () => {
    const { reason, message } = await pushed(
      [
        'COPY www /www',
        `CMD ${JSON.stringify(['sh', '-c', `${leakAll}; export -p; env; echo "$TOKEN"; exit 1`])}`,
      ],
      answers,
    );
    assert.equal(reason, 'WorkloadExited');
    assert.match(message, /Its last lines:\n(?:.*\n)*.*\*\*\*/);
  });

  it('by a health check that is refused', async () => {
    const { reason, message } = await pushed(
      ['COPY www /www', `CMD ${JSON.stringify(['sh', '-c', `echo "$KEY"; exec ${serve}`])}`],
      refuses,
    );
    assert.equal(reason, 'HealthCheckFailed');
    assert.match(message, /503: "no connection with \\"\*\*\*\\""/);
  });

  it('by a workload that goes on', async () => {
    const command = `${leakAll}; env; echo "$TOKEN" | fold -w 9; echo all is said; exec ${serve}`;
    const { status, id } = await pushed(
      [`RUN ${leakAll}`, 'COPY www /www', `CMD ${JSON.stringify(['sh', '-c', command])}`],
      answers,
    );
    assert.equal(status, 'Healthy');
    const path = `/v1/services/${service.id}/logs/stream`;
    await until('all is said', async () =>
      (await callApi(node, 'GET', `/v1/services/${service.id}/logs`)).text.includes('all is said'),
    );
    await look(id);
    shown.push([path, await streamed(path, 'all is said')]);
    shown.push([`${path}?tail=3`, await streamed(`${path}?tail=3`, 'all is said')]);
  });

  it('is in nothing that is shown', () => {
    assert.ok(shown.length > 40);
    assert.ok(shown.some(([, text]) => text.includes('the value: *** end')));
    for (const [what, text] of shown) assertNothingIn(what, text);
  });

  it('is in no file of the node, and not in its own log', async () => {
    const all = await kept();
    assert.ok(all.some(([path, text]) => path.includes('/logs/') && text.includes('the value: *** end')));
    for (const [path, text] of all) assertNothingIn(path, text);
    assertNothingIn("the node's log", node.log());
  });
});

describe('a value that becomes secret after it was printed', () => {
  it('is shown no more', async () => {
    const late = `late-${randomBytes(24).toString('hex')}`;
    await leaky.write('token', late);
    await pushed(
      [
        'COPY www /www',
        `CMD ${JSON.stringify(['sh', '-c', `fold -w 16 /token; echo; echo now; exec ${serve}`])}`,
      ],
      answers,
    );
    const path = `/v1/services/${service.id}/logs`;
    const before = await until('it is printed', async () => {
      const { text } = await callApi(node, 'GET', path);
      return text.endsWith('now\n') && text;
    });
    assert.ok(before.replaceAll('\n', '').includes(late));
    await must(node.svc(['secrets', 'set', 'demo/leaky', 'LATE'], { input: late }));
    for (const query of ['', '?tail=1000', '?tail=3', '?tail=2']) {
      const { text } = await callApi(node, 'GET', `${path}${query}`);
      assert.match(text, /now\n/);
      for (let at = 4; at + 8 <= late.length; at++) assert.ok(!text.includes(late.slice(at, at + 8)), text);
    }
  });
});
