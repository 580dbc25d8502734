/** Where a Git host is: looked up once, each address judged, and only those that may be fetched from are connected to. */
import type { GitUrl } from '../../specs/git-source.ts';
import { allowedFor, type Cidr } from '../network/addresses.ts';
import { GitError, UnreachableError } from './failure.ts';

/** @returns addresses of a host, the best one first. Throws when there are none. */
export type Lookup = (host: string) => Promise<string[]>;

/** Throws GitError: nobody knows the host, or all that is known of it is closed. */
export async function addressesOf(
  { host }: GitUrl,
  { lookup, allow }: { lookup: Lookup; allow: readonly Cidr[] },
): Promise<string[]> {
  const found = await lookup(host).catch((error: unknown) => {
    const code = (error as NodeJS.ErrnoException).code ?? String(error);
    throw new UnreachableError(
      `The Git host ${host} cannot be found (${code}): check its name, and the DNS of the node.`,
      {
        cause: error,
      },
    );
  });
  const open = found.filter((address) => allowedFor(address, 'git', allow));
  if (open.length > 0) return open;
  throw new GitError(
    'CloneFailed',
    `The Git host ${host} is at ${found.join(', ')}, which the node never fetches from (loopback, link-local, metadata). ` +
      `The node's operator can open it with SERVICE_FETCH_ALLOW.`,
  );
}
