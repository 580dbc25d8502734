/** What is under way when a new deployment takes over: it finishes, or is asked to end so that nothing is lost. */
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { after, before, describe, it } from 'node:test';
import { app, serving, type App } from '../support/apps.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { createService } from '../support/node-api.ts';

const host = 'live.demo.localhost';
const events =
  '#!/bin/sh\nprintf "Content-Type: text/event-stream\\r\\n\\r\\n"\nwhile :; do printf "data: tick\\n\\n"; sleep 0.1; done\n';
const slow =
  '#!/bin/sh\nprintf "Content-Type: text/plain\\r\\n\\r\\n"\nfor i in 1 2 3 4 5 6; do printf "$i"; sleep 1; done\n';

let node: TestNode;
let live: App;

before(async () => {
  node = await startNode();
  await createService(node, { name: 'live', release: { drain: '20s' } });
  live = await app('demo/live', { Dockerfile: serving, 'www/index.html': 'first' });
  await live.write('www/cgi-bin/events', events, 0o755);
  await live.write('www/cgi-bin/slow', slow, 0o755);
  await must(node.svc(['push'], { cwd: live.dir }));
});

after(async () => {
  await node.stop();
  await live.remove();
});

interface Reading {
  response: IncomingMessage;
  text(): string;
  /** Resolves when it is over; rejects when it broke off. */
  over: Promise<unknown>;
}

async function open(path: string): Promise<Reading> {
  const asked = request({
    host: '127.0.0.1',
    port: node.httpPort,
    path,
    headers: { host },
    agent: false,
  }).end();
  const [response] = (await once(asked, 'response')) as [IncomingMessage];
  let text = '';
  response.on('data', (chunk: Buffer) => (text += String(chunk)));
  return { response, text: () => text, over: once(response, 'end') };
}

describe('requests under way when a push takes over', () => {
  it('finish, streams of events end behind an event, and nobody counts as failed', async () => {
    const [stream, answer] = [await open('/cgi-bin/events'), await open('/cgi-bin/slow')];
    await until('events come', () => Promise.resolve(stream.text().includes('tick')));
    await live.write('www/index.html', 'second');
    await must(node.svc(['push'], { cwd: live.dir }));
    assert.equal((await node.get(host)).text, 'second');
    await Promise.all([stream.over, answer.over]);
    assert.match(stream.text(), /^(data: tick\n\n)+$/);
    assert.equal(answer.text(), '123456');
  });

  it('are in the metrics', async () => {
    const labels = '{project="demo",service="live"}';
    const figure = async (name: string): Promise<number> => {
      const body = await (await fetch(`${node.metricsUrl}/metrics`)).text();
      const line = body.split('\n').find((text) => text.startsWith(`${name}${labels} `));
      return Number(line?.split(' ').at(-1));
    };
    await until('all is told', async () => (await figure('svc_ingress_requests_total')) === 3);
    assert.equal(await figure('svc_ingress_request_seconds_count'), 3);
    for (const name of ['failed', 'errors', 'aborted', 'unavailable'])
      assert.equal(await figure(`svc_ingress_${name}_total`), 0, name);
    assert.equal(await figure('svc_ingress_open'), 0);
  });
});
