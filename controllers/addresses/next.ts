/** Gives out the addresses of a project's network. Pure. */

const toNumber = (address: string): number =>
  address.split('.').reduce((sum, part) => sum * 256 + Number(part), 0);
const toText = (value: number): string =>
  [24, 16, 8, 0].map((shift) => Math.floor(value / 2 ** shift) % 256).join('.');

/** @param subnet IPv4 CIDR */
export function isWithin(address: string, subnet: string): boolean {
  const [base = '', bits = '32'] = subnet.split('/');
  const offset = toNumber(address) - toNumber(base);
  return offset >= 0 && offset < 2 ** (32 - Number(bits));
}

/**
 * The address after the one given out last, going round the range, so that an address comes back as late as possible:
 * a route may still remember it. The first two (network, gateway) and the last (broadcast) are never given out.
 * @param subnet IPv4 CIDR
 * @param taken addresses in use, the most recent first; those of other ranges do not count
 * @throws RangeError when the range is full
 */
export function nextAddress(subnet: string, taken: readonly string[]): string {
  const [base = '', bits = '32'] = subnet.split('/');
  const first = toNumber(base) + 2;
  const count = 2 ** (32 - Number(bits)) - 3;
  const within = taken.filter((address) => isWithin(address, subnet)).map(toNumber);
  const used = new Set(within);
  const last = within[0] ?? first - 1;
  for (let step = 1; step <= count; step++) {
    const candidate = first + ((last - first + step + count) % count);
    if (!used.has(candidate)) return toText(candidate);
  }
  throw new RangeError(
    `the project's network ${subnet} has no free address: stop something in this project first`,
  );
}
