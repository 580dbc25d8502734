/** What this host knows of its networks, from proc(5). */
import { readFile, writeFile } from 'node:fs/promises';
import type { HostNetwork } from '../../controllers/project/host-network.ts';

/**
 * Milliseconds between two questions of who has an address. A host asks three times, and until somebody answers no packet goes
 * out: at the kernel's own pace of a second (arp(7), retrans_time), a workload that is started again would often be reached
 * a second after it serves, for requests ask for it as soon as it is gone. Neighbours here are on the same host and answer in
 * microseconds.
 */
const askAgainAfter = 50;

export const hostNetwork: HostNetwork = {
  async routes() {
    return (await table()).map(({ cidr }) => cidr);
  },
  async hasten(subnet) {
    const found = (await table()).find(({ cidr }) => cidr === subnet);
    if (found === undefined) return;
    const file = `/proc/sys/net/ipv4/neigh/${found.device}/retrans_time_ms`;
    try {
      await writeFile(file, String(askAgainAfter));
    } catch (error) {
      // It is a matter of speed, and only for who may: not without root, nor where settings of the kernel are read-only.
      if (!beyond.has((error as NodeJS.ErrnoException).code)) throw error;
    }
  },
};

const beyond: ReadonlySet<string | undefined> = new Set(['ENOENT', 'EACCES', 'EPERM', 'EROFS']);

/** The kernel's main routing table without its default routes; empty where there is no such table. */
async function table(): Promise<{ device: string; cidr: string }[]> {
  const text = await readFile('/proc/net/route', 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .filter((fields) => fields.length > 7)
    .map((fields) => ({
      device: fields[0] ?? '',
      cidr: `${address(fields[1])}/${prefixLength(fields[7])}`,
    }))
    .filter(({ cidr }) => !cidr.endsWith('/0'));
}

/** The kernel prints addresses as hexadecimal words in host byte order, little-endian here. */
function bytes(hex = '00000000'): number[] {
  return [6, 4, 2, 0].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

const address = (hex?: string): string => bytes(hex).join('.');
const prefixLength = (hex?: string): number =>
  bytes(hex).reduce((bits, byte) => bits + byte.toString(2).replaceAll('0', '').length, 0);
