import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { creationOf } from '../../../../controllers/engine/docker/creation.ts';

describe('creationOf', () => {
  it('gives a workload exactly these rights', () => {
    const creation = creationOf({
      name: 'demo-web-1',
      image: 'sha256:a',
      env: { PORT: '8080', EMPTY: '', LINES: 'a\nb=c' },
      labels: { 'svc.node': 'n' },
      network: { name: 'svc-n-demo', address: '10.200.0.2' },
      limits: { memoryBytes: 512 * 2 ** 20, cpus: 0.25, pids: 100 },
      mounts: [{ source: '/run/svc/n/sockets/rep_1', target: '/run/svc' }],
    });
    assert.deepEqual(creation, {
      Image: 'sha256:a',
      Env: ['PORT=8080', 'EMPTY=', 'LINES=a\nb=c'],
      Labels: { 'svc.node': 'n' },
      Tty: false,
      OpenStdin: false,
      Healthcheck: { Test: ['NONE'] },
      HostConfig: {
        NetworkMode: 'svc-n-demo',
        PortBindings: {},
        PublishAllPorts: false,
        RestartPolicy: { Name: 'no' },
        AutoRemove: false,
        Privileged: false,
        CapDrop: ['ALL'],
        CapAdd: ['CHOWN', 'DAC_OVERRIDE', 'FOWNER', 'FSETID', 'KILL', 'NET_BIND_SERVICE', 'SETGID', 'SETUID'],
        SecurityOpt: ['no-new-privileges'],
        Init: true,
        Memory: 536_870_912,
        MemorySwap: 536_870_912,
        NanoCpus: 250_000_000,
        PidsLimit: 100,
        LogConfig: { Type: 'json-file', Config: { 'max-size': '10m', 'max-file': '2' } },
        Mounts: [{ Type: 'bind', Source: '/run/svc/n/sockets/rep_1', Target: '/run/svc', ReadOnly: false }],
      },
      NetworkingConfig: { EndpointsConfig: { 'svc-n-demo': { IPAMConfig: { IPv4Address: '10.200.0.2' } } } },
    });
  });

  it('has the image run a command of its own where one is given, behind its entrypoint', () => {
    const plain = {
      ...{ name: 'n', image: 'sha256:a', env: {}, labels: {}, mounts: [] },
      ...{ network: { name: 'n', address: '10.200.0.2' }, limits: { memoryBytes: 1, cpus: 1, pids: 1 } },
    };
    assert.equal('Cmd' in creationOf(plain), false);
    const { Cmd, ...rest } = creationOf({ ...plain, command: ['sh', '-c', 'true'] });
    assert.deepEqual([Cmd, 'Entrypoint' in rest], [['sh', '-c', 'true'], false]);
  });
});
