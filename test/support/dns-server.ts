/** A DNS server on loopback that answers what a test tells it: Debian's pebble-challtestsrv. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { installPackage } from './packages.ts';

export interface DnsServer {
  /** `127.0.0.1:port`, as SERVICE_DNS_SERVERS takes it. */
  server: string;
  /** All addresses of a name, from now on; none: it has no record. */
  point(hostname: string, ...addresses: string[]): Promise<void>;
  /** From now on the name is answered SERVFAIL. */
  fail(hostname: string): Promise<void>;
  stop(): Promise<void>;
}

export async function startDnsServer(): Promise<DnsServer> {
  const [dns, management] = [await freePort(), await freePort()];
  const flags = [
    ...['-dns01', `127.0.0.1:${dns}`, '-management', `127.0.0.1:${management}`],
    ...['-http01', '', '-https01', '', '-tlsalpn01', '', '-defaultIPv4', '', '-defaultIPv6', ''],
  ];
  const child = await start(flags);
  const tell = async (what: string, body: object): Promise<void> => {
    const response = await fetch(`http://127.0.0.1:${management}/${what}`, {
      ...{ method: 'POST', body: JSON.stringify(body) },
    });
    if (!response.ok) throw new Error(`${what}: ${response.status} ${await response.text()}`);
  };
  const answers = () =>
    tell('clear-a', { host: 'nobody.test' }).then(
      () => true,
      () => false,
    );
  await eventually(answers);
  return {
    server: `127.0.0.1:${dns}`,
    async point(hostname, ...addresses) {
      const host = `${hostname}.`;
      const v6 = addresses.filter((address) => address.includes(':'));
      const v4 = addresses.filter((address) => !address.includes(':'));
      for (const what of ['clear-a', 'clear-aaaa', 'clear-servfail']) await tell(what, { host });
      if (v4.length > 0) await tell('add-a', { host, addresses: v4 });
      if (v6.length > 0) await tell('add-aaaa', { host, addresses: v6 });
    },
    fail: (hostname) => tell('set-servfail', { host: `${hostname}.` }),
    async stop() {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  };
}

async function start(flags: readonly string[]) {
  const spawned = async () => {
    const child = spawn('pebble-challtestsrv', flags, { stdio: 'ignore' });
    await once(child, 'spawn');
    return child;
  };
  return spawned().catch(async () => {
    await installPackage('pebble');
    return spawned();
  });
}
