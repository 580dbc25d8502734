/** The real ssh-keygen, installed when the machine has none: what it makes and says of a key is what is right. */
import { execFile } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { promisify } from 'node:util';
import { scratchDir } from './archives.ts';
import { installPackage } from './packages.ts';

const exec = promisify(execFile);

async function sshKeygen(args: readonly string[]): Promise<string> {
  const run = async () => (await exec('ssh-keygen', args)).stdout.trim();
  return run().catch(async (error: unknown) => {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
    await installPackage('openssh-client');
    return run();
  });
}

/** @param args such as `-t ed25519` @returns the new private key and its public line */
export async function makeKey(
  test: TestContext,
  args: string,
  passphrase = '',
): Promise<{ private_key: string; public_key: string }> {
  const file = join(await scratchDir(test), 'key');
  await sshKeygen(['-q', ...args.split(' '), '-N', passphrase, '-C', 'me@home', '-f', file]);
  const read = (path: string) => readFile(path, 'utf8');
  return { private_key: await read(file), public_key: (await read(`${file}.pub`)).trim() };
}

/** What ssh-keygen says of a private key: its public line, and `-l`'s line of length, fingerprint, comment and type. */
export async function inspectKey(
  test: TestContext,
  privateKey: string,
): Promise<{ public_key: string; listed: string }> {
  const file = join(await scratchDir(test), 'key');
  await writeFile(file, privateKey, { mode: 0o600 });
  return { public_key: await sshKeygen(['-y', '-f', file]), listed: await sshKeygen(['-l', '-f', file]) };
}
