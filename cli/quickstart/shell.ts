/** Runs other programs for the quickstart; their output is shown only when they fail. */
import { spawn } from 'node:child_process';

export interface RunOptions {
  env?: NodeJS.ProcessEnv;
  input?: string;
  /** Milliseconds. */
  timeout?: number;
}

/** @returns what it printed on stdout. @throws with the end of what it printed when it fails */
export function run(
  command: string,
  args: string[],
  { env, input, timeout = 300_000 }: RunOptions = {},
): Promise<string> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { env: env ?? process.env, stdio: ['pipe', 'pipe', 'pipe'], timeout });
    const out: Buffer[] = [];
    const all: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => void (out.push(chunk), all.push(chunk)));
    child.stderr.on('data', (chunk: Buffer) => void all.push(chunk));
    child.on('error', reject);
    child.on('close', (code) => {
      if (code === 0) {
        resolve(Buffer.concat(out).toString());
        return;
      }
      const said = Buffer.concat(all).toString().trim().split('\n').slice(-30).join('\n');
      reject(new Error(`${command} ${args[0] ?? ''} ended with code ${String(code)}:\n${said}`));
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** Whether a program is on the path. */
export async function installed(program: string): Promise<boolean> {
  return run('sh', ['-c', `command -v ${program}`]).then(
    () => true,
    () => false,
  );
}
