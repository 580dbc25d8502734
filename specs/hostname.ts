/**
 * Hostnames that a service may be served at: one canonical spelling of each (lower case, punycode, no dot at the end), which
 * is the key of a route, the name in SNI and the identifier at an ACME authority. Pure.
 *
 * Names are mapped as browsers do it (UTS 46, by the URL parser), so that what a person types in an address bar finds the
 * service. What is left has to be a name of DNS hosts (RFC 1123): letters, digits and hyphens.
 *
 * A public suffix (`co.uk`, `github.io`) is let through: whoever can prove that it points to this node is who it belongs
 * to, and any list of them is out of date on the day that it is shipped.
 */

export type HostnameResult = { hostname: string } | { fault: string };

/** RFC 1035, 2.3.4. */
const longestName = 253;
/** Of what is looked at at all; in punycode a name gets longer, never shorter by half. */
const longestText = 1024;

const label = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;

/**
 * Names that DNS does not answer for, whoever asks: every host resolves `localhost` to itself (RFC 6761), `local` is mDNS
 * (RFC 6762), `onion` is Tor (RFC 7686), `alt` is outside of DNS (RFC 9476), `invalid` is nobody's; `arpa` holds addresses,
 * but for `home.arpa` (RFC 8375). `test` and `internal` stay: private resolvers do answer for them.
 */
const outsideOfDns = ['localhost', 'local', 'onion', 'alt', 'invalid', 'arpa'];

/** @returns the canonical spelling, or what is wrong, to be read after the name of the field */
export function canonicalHostname(text: string): HostnameResult {
  if (text.startsWith('*.')) return { fault: 'is a wildcard: attach each hostname by itself' };
  const mapped = mappedName(text);
  if (mapped === undefined) return { fault: 'is no hostname: write a name such as shop.example.com' };
  const hostname = mapped.replace(/\.$/, '');
  const fault = faultOf(hostname);
  return fault === undefined ? { hostname } : { fault };
}

/** Whether a canonical hostname is a domain, or below it. */
export function isWithin(hostname: string, domain: string): boolean {
  return hostname === domain || hostname.endsWith(`.${domain}`);
}

/** Lower case and punycode; undefined for what could be read as anything but a host. */
function mappedName(text: string): string | undefined {
  // Of ASCII only what names are made of: no port, path, user, percent, space or control character gets to the parser.
  if (text.length > longestText || !/^[a-z0-9.\u0080-\u{10ffff}-]+$/iu.test(text)) return undefined;
  try {
    // The parser looks into punycode only beside a label that is not ASCII. What ends in a number is an IPv4 address to it,
    // in whatever notation, and throws beside any label.
    const { hostname } = new URL(`http://é.${text}`);
    return hostname.slice('xn--9ca.'.length);
  } catch {
    return undefined;
  }
}

function faultOf(hostname: string): string | undefined {
  const labels = hostname.split('.');
  const last = labels.at(-1) ?? '';
  if (hostname.length > longestName) return `is longer than ${longestName} characters`;
  if (labels.some((part) => part.length > 63)) return 'has a part of more than 63 characters';
  if (!labels.every((part) => label.test(part)))
    return 'is no hostname: its parts are letters, digits and hyphens, with no hyphen at either end';
  if (outsideOfDns.includes(last) && !hostname.endsWith('.home.arpa'))
    return `ends in .${last}, which public DNS does not serve`;
  if (labels.length < 2) return 'has one part only: write it in full, such as shop.example.com';
  return undefined;
}
