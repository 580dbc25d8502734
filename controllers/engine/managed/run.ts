/** Runs a short command of the host to its end. No shell. */
import { spawn } from 'node:child_process';
import { EngineError } from '../engine.ts';

/** Where administration tools are, whatever the environment says. */
export const toolPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Rejects with `unavailable` unless the command ends with 0. @param input what it reads on stdin */
export function run(command: string, args: readonly string[], input = ''): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(command, args, { stdio: ['pipe', 'ignore', 'pipe'], env: { PATH: toolPath } });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => (said = (said + chunk.toString()).slice(0, 2_000)));
    child.on('error', (error) =>
      reject(new EngineError('unavailable', `${command} cannot be run: install it`, error)),
    );
    child.on('close', (code) => {
      if (code === 0) resolve();
      else
        reject(
          new EngineError(
            'unavailable',
            `${command} failed: ${said.trim().split('\n')[0] ?? ''}`,
            new Error(said),
          ),
        );
    });
    child.stdin.on('error', () => undefined);
    child.stdin.end(input);
  });
}

/** Whether the command ends with 0. */
export function succeeds(command: string, args: readonly string[]): Promise<boolean> {
  return run(command, args).then(
    () => true,
    () => false,
  );
}
