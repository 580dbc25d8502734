/** Public addresses that this machine has on its interfaces: none where it is behind a translation (NAT). */
import { networkInterfaces } from 'node:os';
import { allowedFor } from './addresses.ts';

export function ownAddresses(): string[] {
  const all = Object.values(networkInterfaces()).flatMap((addresses) => addresses ?? []);
  return all.map(({ address }) => address).filter((address) => allowedFor(address, 'domain', []));
}
