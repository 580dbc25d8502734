/**
 * Runs a test file in a network namespace of its own, for tests that need a host's network to themselves: interfaces,
 * firewall and ports begin empty and vanish with it.
 */
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { it } from 'node:test';

const exec = promisify(execFile);
/** Of util-linux, which every Debian has. */
const programs = { unshare: '/usr/bin/unshare', nsenter: '/usr/bin/nsenter' } as const;
const marker = 'SVC_TEST_NETWORK_NAMESPACE';

/** @param url of the test file @param define its tests, called only inside */
export function inNetworkNamespace(url: string, define: () => void): void {
  if (process.env[marker] !== undefined) {
    define();
    return;
  }
  it('passes in a network namespace of its own', async () => {
    const env: NodeJS.ProcessEnv = { ...process.env, [marker]: '1' };
    // It is a runner of its own, not a part of this one.
    delete env['NODE_TEST_CONTEXT'];
    const command = ['--net', 'sh', '-c', 'ip link set lo up && exec "$@"', 'sh'];
    const node = [process.execPath, '--test-reporter=spec', fileURLToPath(url)];
    await exec(programs.unshare, [...command, ...node], {
      env: { ...env, [marker]: '1' },
      maxBuffer: 2 ** 24,
    }).catch((error: unknown) => {
      throw new Error((error as { stdout: string }).stdout, { cause: error });
    });
  });
}

/** Another host, linked to the namespace we are in: ours is 198.51.100.1 (RFC 5737), it is 198.51.100.2. */
export class Outside {
  private readonly host: ChildProcess;

  private constructor(host: ChildProcess) {
    this.host = host;
  }

  static async create(): Promise<Outside> {
    const host = spawn(programs.unshare, ['--net', 'sleep', 'infinity'], { stdio: 'ignore' });
    await new Promise((resolve) => host.once('spawn', resolve));
    const outside = new Outside(host);
    // It enters its namespace a moment after it is started.
    while (
      (await outside.run('sh', '-c', 'ls /proc/self/ns/net -l')) ===
      (await exec('ls', ['/proc/self/ns/net', '-l'])).stdout
    );
    await exec('ip', [
      'link',
      'add',
      'outside',
      'type',
      'veth',
      'peer',
      'name',
      'inside',
      'netns',
      String(host.pid),
    ]);
    await exec('ip', ['address', 'add', '198.51.100.1/24', 'dev', 'outside']);
    await exec('ip', ['link', 'set', 'outside', 'up']);
    await outside.run('ip', 'address', 'add', '198.51.100.2/24', 'dev', 'inside');
    await outside.run('ip', 'link', 'set', 'inside', 'up');
    return outside;
  }

  /** Runs a command there. @returns what it printed */
  async run(...command: string[]): Promise<string> {
    return (await exec(programs.nsenter, ['--net', '--target', String(this.host.pid), ...command])).stdout;
  }

  /** Starts a command there that runs until `close`. */
  start(...command: string[]): void {
    const child = spawn(programs.nsenter, ['--net', '--target', String(this.host.pid), ...command], {
      stdio: 'ignore',
    });
    this.host.once('exit', () => child.kill('SIGKILL'));
  }

  close(): void {
    this.host.kill('SIGKILL');
  }
}
