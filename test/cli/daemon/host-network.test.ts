import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { hostNetwork } from '../../../cli/daemon/host-network.ts';
import { inNetworkNamespace } from '../../support/network-namespace.ts';

const run = promisify(execFile);
const paceOf = async (device: string): Promise<number> =>
  Number(await readFile(`/proc/sys/net/ipv4/neigh/${device}/retrans_time_ms`, 'utf8'));

inNetworkNamespace(import.meta.url, () => {
  it('knows what the host routes to, and has it find at once what comes back in one of those ranges', async () => {
    await run('ip', ['link', 'add', 'project', 'type', 'bridge']);
    await run('ip', ['address', 'add', '10.222.3.1/25', 'dev', 'project']);
    await run('ip', ['link', 'set', 'project', 'up']);
    assert.deepEqual(await hostNetwork.routes(), ['10.222.3.0/25']);
    const usual = await paceOf('project');
    assert.equal(usual, 1_000);

    await hostNetwork.hasten('10.222.3.128/25');
    assert.equal(await paceOf('project'), usual);
    await hostNetwork.hasten('10.222.3.0/25');
    await hostNetwork.hasten('10.222.3.0/25');
    // The kernel rounds to its own ticks.
    assert.ok(Math.abs((await paceOf('project')) - 50) < 10, String(await paceOf('project')));
  });
});
