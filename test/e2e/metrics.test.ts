/** What workloads use, read from a real engine and a real ingress. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { ServiceMetrics } from '../../specs/metrics.ts';
import { app, type App } from '../support/apps.ts';
import { must, startNode, until, type TestNode } from '../support/node.ts';
import { createService } from '../support/node-api.ts';

/** A server beside a loop that takes all the processor time that it is given. */
const busy = [
  'FROM busybox',
  'COPY www /www',
  'CMD ["sh", "-c", "while :; do :; done & exec httpd -f -p $PORT -h /www"]',
  '',
].join('\n');

let node: TestNode;
let source: App;

before(async () => {
  node = await startNode();
  await createService(node, { name: 'busy', resources: { cpus: 0.25, memory: '32Mi' } });
  source = await app('demo/busy', { Dockerfile: busy, 'www/index.html': 'fine' });
  await must(node.svc(['push'], { cwd: source.dir }));
});

after(async () => {
  await node.stop();
  await source.remove();
});

describe('metrics of workloads', () => {
  it('tell what a replica uses, and what it answered', async () => {
    for (let n = 0; n < 20; n++) assert.equal((await node.get('busy.demo.localhost')).text, 'fine');
    assert.equal((await node.get('busy.demo.localhost', '/nothing')).status, 404);
    const read = async () =>
      JSON.parse((await must(node.svc(['top', 'demo/busy', '-o', 'json']))).stdout) as ServiceMetrics;
    const found = await until('all of it was counted', async () => {
      const { replicas, ...rest } = await read();
      const [replica] = replicas;
      return (
        replica && replica.requests.total >= 21 && (replica.cpu.cores ?? 0) > 0.05 && { ...rest, replica }
      );
    });
    const { replica, total } = found;
    assert.ok((replica.cpu.cores ?? 9) < 0.6, 'no more than it may, by and large');
    assert.equal(replica.cpu.limit, 0.25);
    assert.equal(replica.memory.limit, 32 * 2 ** 20);
    assert.ok((replica.memory.bytes ?? 0) > 0 && (replica.pids ?? 0) >= 2);
    assert.ok((replica.network.received_bytes ?? 0) > 0 && (replica.network.sent_bytes ?? 0) > 0);
    assert.deepEqual([replica.requests.total, replica.requests.errors, replica.requests.failed], [21, 0, 0]);
    const { p50, p99 } = replica.requests.latency_ms;
    assert.ok(p50 !== null && p99 !== null && p50 > 0 && p50 <= p99);
    assert.deepEqual(total.requests, replica.requests);
    assert.deepEqual([replica.restarts, replica.phase], [0, 'Ready']);
  });

  it('are a table for people, and gauges for scrapers', async () => {
    const { stdout } = await must(node.svc(['top', '-p', 'demo']));
    assert.match(stdout, /^PROJECT +NAME +REPLICAS +CPU +CPU% .*\ndemo +busy +1 +0\.\d\d +\d+% /);
    const scraped = await (await fetch(`${node.metricsUrl}/metrics`)).text();
    assert.match(scraped, /^svc_service_cpu_cores\{project="demo",service="busy"\} 0\.\d+$/m);
    assert.match(scraped, /^svc_service_memory_bytes\{project="demo",service="busy"\} \d+$/m);
  });
});
