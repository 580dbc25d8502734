/**
 * Asks DNS for the addresses of a hostname: DNS alone and not this machine's hosts file, for what counts is where the world
 * is led to.
 */
import { Resolver } from 'node:dns/promises';

/** @returns IPv4 first, each in order; none when DNS has none. Rejects when DNS gave no answer, or with the signal's reason */
export type Resolve = (hostname: string, signal: AbortSignal) => Promise<string[]>;

/** More than any sound name has; each may be connected to. */
const mostAddresses = 8;

/** Milliseconds for the first try of each server; the second has twice as long. */
const options = { timeout: 1_500, tries: 2 };

/** Codes by which DNS says: there is no such name, or no such record of it. */
const nothing: ReadonlySet<unknown> = new Set(['ENOTFOUND', 'ENODATA']);

/** @param servers as `parseServers` reads them; none: those of the system */
export function createResolve(servers: readonly string[]): Resolve {
  return async (hostname, signal) => {
    signal.throwIfAborted();
    const resolver = new Resolver(options);
    if (servers.length > 0) resolver.setServers(servers);
    const cancel = () => resolver.cancel();
    signal.addEventListener('abort', cancel, { once: true });
    try {
      const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
      signal.throwIfAborted();
      return addressesOf(answers);
    } finally {
      signal.removeEventListener('abort', cancel);
    }
  };
}

/** One family that fails does not hide the other: servers that know nothing of AAAA often say so in the wrong way. */
function addressesOf(answers: readonly PromiseSettledResult<string[]>[]): string[] {
  const found = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value.sort() : []));
  if (found.length > 0) return found.slice(0, mostAddresses);
  for (const answer of answers)
    if (answer.status === 'rejected' && !nothing.has((answer.reason as NodeJS.ErrnoException).code))
      throw answer.reason;
  return [];
}

/**
 * Reads comma-separated resolvers: an address, with a port if it is not 53 (`192.0.2.53:5353`, `[2001:db8::53]:53`).
 * @throws Error that names what is none
 */
export function parseServers(text: string): string[] {
  const servers = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  for (const server of servers) {
    try {
      new Resolver().setServers([server]);
    } catch (cause) {
      throw new Error(`"${server}" is no resolver: write an address such as 192.0.2.53 or 192.0.2.53:5353`, {
        cause,
      });
    }
  }
  return servers;
}
