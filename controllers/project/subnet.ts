/** IPv4 ranges of project networks. Pure. */
import { revisionOf } from '../../specs/revision.ts';

interface Range {
  first: number;
  last: number;
}

function parse(cidr: string): Range | undefined {
  const match = /^(\d+)\.(\d+)\.(\d+)\.(\d+)\/(\d+)$/.exec(cidr);
  if (!match) return undefined;
  const [a = 0, b = 0, c = 0, d = 0, bits = 32] = match.slice(1).map(Number);
  const size = 2 ** (32 - bits);
  const address = ((a * 256 + b) * 256 + c) * 256 + d;
  const first = address - (address % size);
  return { first, last: first + size - 1 };
}

/** Whether two CIDRs have an address in common; what is no IPv4 range has none. */
export function overlaps(one: string, other: string): boolean {
  const [a, b] = [parse(one), parse(other)];
  return a !== undefined && b !== undefined && a.first <= b.last && b.first <= a.last;
}

/** 10.200.0.0 to 10.254.255.0. */
const ranges = 55 * 256;

/**
 * A /24 of 10.200.0.0 to 10.254.255.0 that overlaps with nothing taken. Docker's own pools hold about thirty networks,
 * fewer than a node has projects, and it gives fixed addresses only in ranges that were asked for.
 * @param taken CIDRs in use: other projects, other networks of the engine, routes of the host; anything else is ignored
 * @param name of the network. The search begins where it says, so that two nodes at one engine seldom want the same, and
 *   that of a network which was removed is still free when it comes back
 * @throws RangeError when all 14,080 are taken
 */
export function freeSubnet(taken: readonly string[], name: string): string {
  // A default route covers everything and says nothing.
  const used = taken.filter((cidr) => !cidr.endsWith('/0'));
  const start = Number.parseInt(revisionOf(name).slice(0, 8), 16) % ranges;
  for (let step = 0; step < ranges; step++) {
    const index = (start + step) % ranges;
    const cidr = `10.${200 + Math.floor(index / 256)}.${index % 256}.0/24`;
    if (!used.some((other) => overlaps(other, cidr))) return cidr;
  }
  throw new RangeError('no free IPv4 range is left for another project network');
}
