/** The keys of a Git host at its first use: what ssh has met, and what the host has besides, are kept for the project. */
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { environment, type HomePaths } from './environment.ts';
import { readKnownHost, withScanned, type HostKey, type KnownHosts } from './known-hosts.ts';

const exec = promisify(execFile);

/** Where a host was reached, at an address that was judged. */
interface Place {
  address: string;
  port: number;
}

interface PinDeps {
  home: HomePaths;
  projectId: string;
  knownHosts: KnownHosts;
  /** Where ssh-keyscan is. */
  path: string;
  signal: AbortSignal;
  onLine: (line: string) => void;
}

/**
 * Also when the host refused us in the end: it was seen, and should be the same one next time. ssh has kept the one key that
 * it agreed on with the host; the host's keys of other types are asked for now, at the first use as well, so that a host that
 * prefers another one of them later is still known.
 * @param knownAs the host as known_hosts names it
 */
export async function pinFirst(
  knownAs: string,
  at: Place,
  { home, projectId, knownHosts, path, signal, onLine }: PinDeps,
): Promise<void> {
  const seen = readKnownHost(knownAs, await readFile(home.knownHosts, 'utf8').catch(() => ''));
  if (seen === undefined || signal.aborted) return;
  const spec = withScanned(seen, await scan(at, environment(home, path), signal));
  await knownHosts.pin(projectId, spec);
  const [keys, are] = spec.lines.length === 1 ? ['key', 'is'] : ['keys', 'are'];
  const shown = spec.fingerprints.map(
    (print, index) => `${print} (${spec.lines[index]?.split(' ')[1] ?? ''})`,
  );
  onLine(
    `The host ${keys} of ${knownAs} ${are} ${shown.join(', ')}; from now on this project takes no other.`,
  );
}

/** Seconds that ssh-keyscan waits for each type of key. */
const patience = 5;

/**
 * By ssh-keyscan, which speaks to any server, and no further than to its keys.
 * @returns one for each type; none where the host does not say: then what ssh has seen has to do
 */
async function scan(
  { address, port }: Place,
  env: Record<string, string>,
  signal: AbortSignal,
): Promise<HostKey[]> {
  const args = ['-T', String(patience), '-p', String(port), '-t', 'ed25519,ecdsa,rsa', address];
  // It ends with a code other than 0 where the host does not answer at all.
  const { stdout } = await exec('ssh-keyscan', args, { env, signal }).catch(() => ({ stdout: '' }));
  return stdout.split('\n').flatMap((line) => {
    const [, type, key] = /^\S+ ([a-z0-9-]+) ([A-Za-z0-9+/]+={0,2})$/.exec(line.trim()) ?? [];
    return type === undefined || key === undefined ? [] : [{ type, key }];
  });
}
