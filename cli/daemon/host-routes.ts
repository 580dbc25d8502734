/** IPv4 ranges that this host routes to already, so that no project network is put on top of one. */
import { readFile } from 'node:fs/promises';

/** CIDRs of the kernel's main routing table (proc(5), /proc/net/route); none where there is no such table. */
export async function hostRoutes(): Promise<string[]> {
  const text = await readFile('/proc/net/route', 'utf8').catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return '';
    throw error;
  });
  return text
    .split('\n')
    .slice(1)
    .map((line) => line.split('\t'))
    .filter((fields) => fields.length > 7)
    .map((fields) => `${address(fields[1])}/${prefixLength(fields[7])}`)
    .filter((cidr) => !cidr.endsWith('/0'));
}

/** The kernel prints addresses as hexadecimal words in host byte order, little-endian here. */
function bytes(hex = '00000000'): number[] {
  return [6, 4, 2, 0].map((at) => Number.parseInt(hex.slice(at, at + 2), 16));
}

const address = (hex?: string): string => bytes(hex).join('.');
const prefixLength = (hex?: string): number =>
  bytes(hex).reduce((bits, byte) => bits + byte.toString(2).replaceAll('0', '').length, 0);
