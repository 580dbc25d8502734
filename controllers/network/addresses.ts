/**
 * Which addresses the node itself connects to on a tenant's word: hosts of Git sources, hostnames to be verified. Pure.
 * A name is resolved once, each address is judged here, and the connection goes to exactly the address that was judged, so
 * that no second lookup can answer another one (DNS rebinding).
 */
import { BlockList, isIP } from 'node:net';

/** What is fetched: Git hosts may lie in a private network, a hostname to be verified has to be public. */
export type FetchPurpose = 'domain' | 'git';

/** A range of addresses. */
export interface Cidr {
  address: string;
  prefix: number;
  family: 'ipv4' | 'ipv6';
}

/**
 * Never fetched from: this host, its links, and what answers with credentials to whoever asks. Of the registries of RFC
 * 6890 and its updates; metadata services of AWS, Google, Azure, Alibaba and Oracle by their vendors' documents.
 */
const forbidden = [
  '0.0.0.0/8', // "this network": Linux connects to itself
  '127.0.0.0/8', // loopback
  '169.254.0.0/16', // link-local, and most clouds' metadata
  '192.0.0.0/24', // protocol assignments; Oracle's metadata lies in it
  '192.0.2.0/24, 198.51.100.0/24, 203.0.113.0/24', // documentation
  '192.88.99.0/24', // 6to4 relays, deprecated
  '198.18.0.0/15', // benchmarks
  '100.100.100.200/32, 168.63.129.16/32', // metadata of Alibaba and Azure
  '224.0.0.0/4, 240.0.0.0/4', // multicast; reserved and broadcast
  '::/8', // unspecified, loopback, IPv4-compatible; IPv4-mapped ones are judged as what they stand for
  '64:ff9b:1::/48', // local translation prefixes (RFC 8215): nobody can say what lies behind
  '100::/64', // discard
  '2001::/23', // protocol assignments, Teredo among them
  '2001:db8::/32, 3fff::/20', // documentation
  '2002::/16', // 6to4: an IPv4 address inside, and no relays left that should be used
  'fd00:ec2::254/128, fd20:ce::254/128', // metadata of AWS and Google
  'fe80::/10, fec0::/10', // link-local; site-local, deprecated
  'ff00::/8', // multicast
];

/** Of somebody's own network: a Git host may well be there. */
const privateRanges = ['10.0.0.0/8, 172.16.0.0/12, 192.168.0.0/16', '100.64.0.0/10', 'fc00::/7'];

const lists: Record<FetchPurpose, Ranges> = {
  git: listOf(forbidden.flatMap(parseCidrs)),
  domain: listOf([...forbidden, ...privateRanges].flatMap(parseCidrs)),
};

/**
 * Whether the node may connect to an address.
 * @param address IPv4 or IPv6 as a resolver answers it; anything else is refused
 * @param allow ranges that are open although they are special (`SERVICE_FETCH_ALLOW`)
 */
export function allowedFor(address: string, purpose: FetchPurpose, allow: readonly Cidr[]): boolean {
  // A zone (`fe80::1%eth0`) names a link of this host.
  if (isIP(address) === 0 || address.includes('%')) return false;
  const meant = embedded(address) ?? address;
  return isIn(listOf(allow), meant) || !isIn(lists[purpose], meant);
}

/**
 * Reads comma-separated CIDRs; an address alone is a range of one. The empty text has none.
 * @throws Error that names what is no range
 */
export function parseCidrs(text: string): Cidr[] {
  const parts = text.split(',').map((part) => part.trim());
  return parts.filter((part) => part !== '').map(parseCidr);
}

function parseCidr(text: string): Cidr {
  const [address = '', bits, ...rest] = text.split('/');
  const version = isIP(address);
  const most = version === 4 ? 32 : 128;
  const prefix = bits === undefined ? most : Number(bits);
  const sound = version !== 0 && !address.includes('%') && rest.length === 0;
  if (!sound || !/^\d+$/.test(bits ?? '0') || prefix > most)
    throw new Error(`"${text}" is no range of addresses: write 10.1.0.0/16 or fd12:3456::/32`);
  return { address, prefix, family: version === 4 ? 'ipv4' : 'ipv6' };
}

/** By family: a BlockList would hold every IPv4 address to be one of `::/8`, where IPv4-mapped ones lie. */
type Ranges = Record<Cidr['family'], BlockList>;

function listOf(ranges: readonly Cidr[]): Ranges {
  const lists = { ipv4: new BlockList(), ipv6: new BlockList() };
  for (const { address, prefix, family } of ranges) lists[family].addSubnet(address, prefix, family);
  return lists;
}

function isIn(ranges: Ranges, address: string): boolean {
  const family = isIP(address) === 4 ? 'ipv4' : 'ipv6';
  return ranges[family].check(address, family);
}

/** The IPv4 address that an IPv4-mapped one (RFC 4291, 2.5.5.2) or a translated one (RFC 6052, NAT64) stands for. */
function embedded(address: string): string | undefined {
  if (isIP(address) !== 6) return undefined;
  // The URL parser writes every spelling in the one canonical way (RFC 5952), without dotted parts.
  const canonical = new URL(`http://[${address}]`).hostname.slice(1, -1);
  if (!isIn(translated, canonical)) return undefined;
  const [high = 0, low = 0] = canonical
    .split(':')
    .slice(-2)
    .map((group) => parseInt(group || '0', 16));
  return [high >> 8, high & 255, low >> 8, low & 255].join('.');
}

const translated = listOf(parseCidrs('::ffff:0:0/96, 64:ff9b::/96'));
