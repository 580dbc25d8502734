/** `svc exec` as a process of its own: with pipes, or on a terminal of its own (script of util-linux). */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { eventually } from './eventually.ts';

const program = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));

export interface Running {
  child: ChildProcessWithoutNullStreams;
  stdout(): Buffer;
  stderr(): Buffer;
  /** Resolves once this has been printed. */
  printed(text: string): Promise<void>;
  /** Its exit code. */
  ended: Promise<number>;
}

/** @param clientDir configuration of who runs it, or variables of the environment beside the own */
export function execPipes(env: NodeJS.ProcessEnv, args: readonly string[]): Running {
  return follow(spawn(process.execPath, [program, 'exec', ...args], { env: { ...process.env, ...env } }));
}

/** @param before shell commands to run on the terminal first, after after it has ended */
export function execTerminal(
  env: NodeJS.ProcessEnv,
  args: readonly string[],
  { before = ':', after = ':' } = {},
): Running {
  const quoted = [process.execPath, program, 'exec', ...args].map(
    (word) => `'${word.replaceAll("'", "'\\''")}'`,
  );
  const line = `${before}; ${quoted.join(' ')}; code=$?; ${after}; exit $code`;
  const options = ['--quiet', '--return', '--flush', '--command', line, '/dev/null'];
  return follow(spawn('script', options, { env: { ...process.env, ...env, SHELL: '/bin/sh' } }));
}

const children = new Set<ChildProcessWithoutNullStreams>();

/** Ends what a test that failed has left. */
export function endConsoles(): void {
  for (const child of children) child.kill('SIGKILL');
}

function follow(child: ChildProcessWithoutNullStreams): Running {
  children.add(child);
  const collected = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  child.stdout.on('data', (chunk: Buffer) => void collected.stdout.push(chunk));
  child.stderr.on('data', (chunk: Buffer) => void collected.stderr.push(chunk));
  // One that has ended reads no more.
  child.stdin.on('error', () => undefined);
  const [stdout, stderr] = [() => Buffer.concat(collected.stdout), () => Buffer.concat(collected.stderr)];
  const ended = new Promise<number>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? -1));
  });
  return { child, stdout, stderr, printed: (text) => eventually(() => stdout().includes(text)), ended };
}
