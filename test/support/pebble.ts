/** A certificate authority on loopback: Let's Encrypt's own for tests, Debian's `pebble`. */
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { request } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePair } from './certificates.ts';
import { eventually } from './eventually.ts';
import { freePort } from './free-port.ts';
import { installPackage } from './packages.ts';

export interface Pebble {
  /** Directory URL, as SERVICE_ACME_DIRECTORY takes it. */
  directory: string;
  /** What its own certificate is trusted by, as SERVICE_ACME_CA_FILE takes it. */
  caFile: string;
  /** PEM of the root that certificates are issued under; another one after every start. */
  root(): Promise<string>;
  kill(): Promise<void>;
  /** Starts it again: it has forgotten every account, order and certificate. */
  start(): Promise<void>;
  stop(): Promise<void>;
}

export interface PebbleOptions {
  /** `127.0.0.1:port` */
  dns: string;
  /** Where challenges are fetched. */
  httpPort: number;
  /** Seconds that a certificate is valid. */
  validity?: number;
  /** Of a hundred good nonces, so many are refused. */
  badNonces?: number;
}

export async function startPebble(options: PebbleOptions): Promise<Pebble> {
  const place = await mkdtemp(join(tmpdir(), 'svc-pebble-'));
  const [port, management] = [await freePort(), await freePort()];
  const file = (name: string): string => join(place, name);
  const { chain, key } = await makePair('localhost', '127.0.0.1');
  await writeFile(file('ca.pem'), chain);
  await writeFile(file('key.pem'), key);
  await writeFile(file('config.json'), JSON.stringify(configOf(options, { file, port, management })));
  const { dns, badNonces = 5 } = options;
  // Every authorization anew: one that is reused needs no challenge.
  const env = { PEBBLE_VA_NOSLEEP: '1', PEBBLE_WFE_NONCEREJECT: String(badNonces), PEBBLE_AUTHZREUSE: '0' };
  const get = async (path: string): Promise<string> =>
    read(`https://127.0.0.1:${management}${path}`, await readFile(file('ca.pem'), 'utf8'));
  let child: ChildProcess | undefined;
  const pebble: Pebble = {
    directory: `https://127.0.0.1:${port}/dir`,
    caFile: file('ca.pem'),
    root: () => get('/roots/0'),
    async kill() {
      if (child === undefined || child.exitCode !== null || child.signalCode !== null) return;
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
    async start() {
      child = await launch(['-config', file('config.json'), '-dnsserver', dns], env);
      await eventually(() =>
        get('/roots/0').then(
          () => true,
          () => false,
        ),
      );
    },
    async stop() {
      await pebble.kill();
      await rm(place, { recursive: true, force: true });
    },
  };
  await pebble.start();
  return pebble;
}

function configOf(
  { httpPort, validity }: PebbleOptions,
  { file, port, management }: { file: (name: string) => string; port: number; management: number },
): object {
  return {
    pebble: {
      listenAddress: `127.0.0.1:${port}`,
      managementListenAddress: `127.0.0.1:${management}`,
      certificate: file('ca.pem'),
      privateKey: file('key.pem'),
      ...{ httpPort, tlsPort: 1, ocspResponderURL: '', externalAccountBindingRequired: false },
      ...(validity !== undefined && { certificateValidityPeriod: validity }),
    },
  };
}

async function launch(flags: string[], env: Record<string, string>): Promise<ChildProcess> {
  const spawned = async () => {
    const child = spawn('pebble', flags, { stdio: 'ignore', env: { ...process.env, ...env } });
    await once(child, 'spawn');
    return child;
  };
  return spawned().catch(async () => {
    await installPackage('pebble');
    return spawned();
  });
}

function read(url: string, ca: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { ca, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      response.on('error', reject).on('end', () => resolve(text));
    });
    asked.on('error', reject).end();
  });
}
