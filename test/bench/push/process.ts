/** Whole processes, timed from outside: from before the spawn to the exit. */
import { spawn } from 'node:child_process';
import { now } from './clock.ts';

export interface Timed {
  began: number;
  ended: number;
  stdout: string;
}

export interface Command {
  args: readonly string[];
  cwd?: string;
  env: NodeJS.ProcessEnv;
}

/** Rejects when it ends with another code than 0. */
export function timed(program: string, { args, cwd, env }: Command): Promise<Timed> {
  return new Promise((resolve, reject) => {
    const began = now();
    const child = spawn(program, args, {
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
    });
    let ended = began;
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('exit', () => (ended = now()));
    child.on('close', (code) => {
      if (code === 0) resolve({ began, ended, stdout });
      else reject(new Error(`${program} ${args.join(' ')} ended with code ${code}\n${stdout}\n${stderr}`));
    });
  });
}
