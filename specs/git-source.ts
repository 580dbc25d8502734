/**
 * Which Git sources are taken: addresses of repositories and names in them. Pure, and the only filter in front of git,
 * which runs programs for some URLs (`ext::`, CVE-2022-24433) and takes a leading dash for an option (CVE-2017-1000117).
 * What is let through has one meaning for us, for git and for ssh; anything else is refused, never mended.
 */

/** A repository's address, taken apart. */
export interface GitUrl {
  /** As it is given to git. */
  url: string;
  transport: 'ssh' | 'https';
  /** Of ssh, where it has one. */
  user: string | null;
  /** A name or an IPv4 address, in lower case. */
  host: string;
  port: number;
  /** As the host is asked for it. */
  path: string;
}

const longestUrl = 2048;
const longestRef = 255;

const advice =
  'write https://host/path, ssh://user@host/path or user@host:path, without a password, an option or a line break in it';

/** Everything that a path needs, and nothing that a shell, git or a URL parser could take for something else. */
const path = String.raw`[A-Za-z0-9._~!$&'()*+,;=:@%/-]+`;
const host = String.raw`(?<host>[A-Za-z0-9.-]+)`;
const port = String.raw`(?::(?<port>[1-9][0-9]{0,4}))?`;
const user = String.raw`(?<user>[A-Za-z0-9_][A-Za-z0-9._-]{0,63})`;

const forms = [
  { transport: 'https', shape: new RegExp(`^https://${host}${port}(?<path>/${path})$`) },
  { transport: 'ssh', shape: new RegExp(`^ssh://(?:${user}@)?${host}${port}(?<path>/${path})$`) },
  { transport: 'ssh', shape: new RegExp(`^${user}@${host}:(?<path>${path})$`) },
] as const;

/**
 * @param text a repository's address as somebody wrote it: its owner, or a `.gitmodules` that a stranger wrote
 * @returns the address, or what is wrong with it, which completes "the address …" and never quotes it: it may hold a password
 */
export function parseGitUrl(text: string): { git: GitUrl } | { fault: string } {
  const refused = schemeFault(text);
  if (refused !== undefined) return { fault: refused };
  for (const { transport, shape } of forms) {
    const { host, port, path, user = null } = shape.exec(text)?.groups ?? {};
    if (host === undefined || path === undefined) continue;
    const number = Number(port ?? defaultPorts[transport]);
    const fault = hostFault(host) ?? portFault(number) ?? pathFault(path);
    if (fault !== undefined) return { fault };
    return { git: { url: text, transport, user, host: host.toLowerCase(), port: number, path } };
  }
  return { fault: `has a form that is not taken: ${advice}` };
}

const defaultPorts = { ssh: 22, https: 443 } as const;

const credentials =
  'must not hold a user or password: give the project a deploy key (svc projects deploy-key generate) and use the SSH address';

/** What is wrong with it before it is taken apart: what people do most often, and what must not be quoted. */
function schemeFault(text: string): string | undefined {
  if (text.length > longestUrl) return `must have at most ${longestUrl} characters`;
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):\/\//.exec(text)?.[1]?.toLowerCase();
  switch (scheme) {
    case undefined:
      return undefined;
    case 'https':
      // A token in the place of a user would stand in logs, and in the answers of the API.
      return /^https:\/\/[^/]*@/i.test(text) ? credentials : undefined;
    case 'ssh':
      return /^ssh:\/\/[^/@]*:[^/]*@/i.test(text) ? credentials : undefined;
    case 'http':
    case 'git':
      return `must not use ${scheme}://, which anybody on the way can read and change: use https:// or ssh://`;
    default:
      return `must not use ${scheme.slice(0, 20)}://: use https:// or ssh://`;
  }
}

function portFault(port: number): string | undefined {
  return port > 65_535 ? 'must have a port of at most 65535' : undefined;
}

const ipv4 = /^(?:(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)(?:\.(?!$)|$)){4}$/;

function hostFault(text: string): string | undefined {
  const labels = text.split('.');
  const isName =
    text.length <= 253 &&
    labels.every((label) => /^[A-Za-z0-9](?:[A-Za-z0-9-]{0,61}[A-Za-z0-9])?$/.test(label));
  if (!isName) return 'must name a host: letters, digits, hyphens and dots';
  // 017700000001, 0x7f.1 and 127.1 are 127.0.0.1 to some parsers (WHATWG URL, "ends in a number").
  const isNumeric = /^(?:\d+|0[xX][0-9A-Fa-f]*)$/.test(labels.at(-1) ?? '');
  if (isNumeric && !ipv4.test(text)) return 'must name a host: write an IPv4 address as four decimal numbers';
  return undefined;
}

function pathFault(text: string): string | undefined {
  if (/%(?![0-9A-Fa-f]{2})/.test(text)) return 'must have two hexadecimal digits after each % of its path';
  const decoded = text.replaceAll(/%([0-9A-Fa-f]{2})/g, (_, code: string) =>
    String.fromCharCode(parseInt(code, 16)),
  );
  if (/[\u0000-\u001f\u007f]/.test(decoded)) return 'must not contain control characters';
  const segments = decoded.split('/');
  if (segments.includes('..') || segments.includes('.')) return 'must not contain "." or ".." in its path';
  if (segments.some((segment) => segment.startsWith('-')))
    return 'must have no part of its path that begins with a hyphen';
  return undefined;
}

/** C0, space, DEL, and what git-check-ref-format forbids. */
const forbiddenInRef = /[\u0000-\u0020\u007f~^:?*[\\]/;

/**
 * What is wrong with the name of a branch, a tag or a commit, by the rules of git-check-ref-format; undefined when nothing
 * is. Expressions (`main~3`, `v1^{}`, `main@{yesterday}`) are refused: what they mean depends on who evaluates them.
 */
export function refFault(ref: string): string | undefined {
  if (ref === '') return 'must not be empty';
  if (ref.length > longestRef) return `must have at most ${longestRef} characters`;
  if (ref.startsWith('-')) return 'must not begin with a hyphen';
  if (forbiddenInRef.test(ref))
    return 'must name a branch, a tag or a commit: no spaces, control characters or any of ~ ^ : ? * [ \\';
  const parts = ref.split('/');
  const isMalformed =
    ref === '@' ||
    ref.includes('..') ||
    ref.includes('@{') ||
    ref.endsWith('.') ||
    parts.some((part) => part === '' || part.startsWith('.') || part.endsWith('.lock'));
  return isMalformed ? 'must name a branch, a tag or a commit' : undefined;
}

/** Whether it could be (the beginning of) a commit's name: at least seven hexadecimal digits, as git shortens them. */
export function looksLikeCommit(ref: string): boolean {
  return /^(?:[0-9a-f]{7,40}|[0-9a-f]{64})$/i.test(ref);
}

/** A whole commit name: SHA-1 or SHA-256. */
export function isCommit(text: string): boolean {
  return /^(?:[0-9a-f]{40}|[0-9a-f]{64})$/.test(text);
}
