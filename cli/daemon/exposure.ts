/** Warns when the API can be reached from elsewhere without TLS: passwords and tokens would cross the network in the clear. */
import { BlockList, isIP } from 'node:net';
import type { Log } from '../../controllers/runtime/log.ts';
import type { Address } from './settings.ts';

const loopback = new BlockList();
loopback.addSubnet('127.0.0.0', 8, 'ipv4');
loopback.addAddress('::1', 'ipv6');

/** Whether only this machine reaches an address. A name counts as public, `localhost` (RFC 6761) apart. */
export function isLoopback(host: string): boolean {
  const family = isIP(host);
  if (family === 0) return host.toLowerCase() === 'localhost';
  // BlockList knows an IPv4 address that is mapped into IPv6 (RFC 4291, 2.5.5.2) by its IPv4 rule.
  return loopback.check(host, family === 4 ? 'ipv4' : 'ipv6');
}

export function warnOfExposure({ host, port }: Address, log: Pick<Log, 'warn'>): void {
  if (isLoopback(host)) return;
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  log.warn(
    { api: address },
    `the API listens on ${address} without TLS: passwords, tokens and secrets cross the network in the clear. ` +
      'Set SERVICE_API_LISTEN to 127.0.0.1:9400, and reach it over SSH or a TLS proxy on this machine',
  );
}
