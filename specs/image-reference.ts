/**
 * References of images, by the grammar of distribution/reference (v0.6) and with the defaults that Docker gives what is left
 * out: `nginx` is `docker.io/library/nginx:latest`. Left out of the grammar: registries by IPv6 address, which engines did not
 * take until lately, digests other than SHA-256, which no registry gives, and the reading of `Shop/web` as the registry
 * `Shop`, which nobody means. Pure: whether there is such an image only its registry knows.
 */

/** A reference with everything in it that was left out. */
export interface ImageReference {
  /** Host, with its port where it has one, in lower case: `docker.io`, `127.0.0.1:5000`. */
  registry: string;
  /** Path within the registry: `library/nginx`. */
  path: string;
  /** `latest` where neither tag nor digest was given. Null where a digest alone says which image is meant. */
  tag: string | null;
  /** `sha256:…`; it wins over the tag. */
  digest: string | null;
}

/** Longest reference that a deployment may ask for: name, tag and digest at their longest. */
export const longestReference = 255 + 1 + 128 + 1 + 71;

const dockerHub = 'docker.io';
/** Longest name, the registry's host included (distribution/reference: RepositoryNameTotalLengthMax). */
const longestName = 255;

const host =
  /^(?:[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?(?:\.[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?)*)(?::[0-9]+)?$/;
const component = /^[a-z0-9]+(?:(?:\.|_|__|-+)[a-z0-9]+)*$/;
const tagRule = /^[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/;
const id = /^[0-9a-f]{64}$/;
const digestRule = /^sha256:[0-9a-f]{64}$/;

/** @returns the reference, or what is wrong with it: it completes "the image …" */
export function parseImageReference(text: string): ImageReference | { fault: string } {
  const parts = partsOf(text);
  const { registry, path } = splitRegistry(parts.name);
  const fault = textFault(text) ?? digestFault(parts) ?? tagFault(parts) ?? nameFault(registry, path);
  if (fault !== undefined) return { fault };
  const { tag, digest } = parts;
  return { registry, path, tag: tag ?? (digest === null ? 'latest' : null), digest };
}

interface Parts {
  name: string;
  tag: string | null;
  digest: string | null;
}

function partsOf(text: string): Parts {
  const at = text.indexOf('@');
  const named = at === -1 ? text : text.slice(0, at);
  // A colon before the last slash is of the registry's port.
  const colon = named.lastIndexOf(':');
  const isTagged = colon > named.lastIndexOf('/');
  return {
    name: isTagged ? named.slice(0, colon) : named,
    tag: isTagged ? named.slice(colon + 1) : null,
    digest: at === -1 ? null : text.slice(at + 1),
  };
}

function textFault(text: string): string | undefined {
  if (text === '') return 'must be named, such as nginx:1.27 or ghcr.io/you/app:1.4';
  if (text.length > longestReference) return `must have at most ${longestReference} characters`;
  if (!/^[!-~]*$/.test(text)) return 'must be letters, digits and . _ - / : @ only, without spaces';
  if (/^[a-z][a-z0-9+.-]*:\/\//i.test(text))
    return 'must be named as docker pull takes it, without a scheme such as https://';
  return undefined;
}

function digestFault({ digest }: Parts): string | undefined {
  return digest === null || digestRule.test(digest)
    ? undefined
    : 'must end in a digest of the form sha256: and 64 hexadecimal digits, in lower case';
}

function tagFault({ name, tag }: Parts): string | undefined {
  // To an engine they are an image that it has, not a name.
  if (id.test(name) || (name === 'sha256' && id.test(tag ?? '')))
    return 'must be a name, not the id of an image';
  return tag === null || tagRule.test(tag)
    ? undefined
    : 'must have a tag of letters, digits and . _ - that begins with none of . and -, 128 at most';
}

/** The name that an engine takes: `registry/path`. */
export function repositoryOf({ registry, path }: ImageReference): string {
  return `${registry}/${path}`;
}

/** The whole of it as an engine takes it. Without the tag where there is a digest: engines obey the digest alone. */
export function formatImageReference(reference: ImageReference): string {
  const { tag, digest } = reference;
  const name = repositoryOf(reference);
  return digest === null ? `${name}:${tag ?? 'latest'}` : `${name}@${digest}`;
}

/** Docker's rule: the first part is a host if it looks like no name of a user could, with `.` or `:`, or is localhost. */
function splitRegistry(name: string): { registry: string; path: string } {
  const slash = name.indexOf('/');
  const first = slash === -1 ? '' : name.slice(0, slash);
  const isHost = /[.:]/.test(first) || first === 'localhost';
  const registry = isHost ? first.toLowerCase() : dockerHub;
  const path = isHost ? name.slice(slash + 1) : name;
  if (registry !== dockerHub && registry !== 'index.docker.io') return { registry, path };
  return { registry: dockerHub, path: path.includes('/') ? path : `library/${path}` };
}

function nameFault(registry: string, path: string): string | undefined {
  const [, port] = /:([0-9]+)$/.exec(registry) ?? [];
  if (!host.test(registry) || (port !== undefined && !(Number(port) >= 1 && Number(port) <= 65_535)))
    return 'must begin with a registry of the form host or host:port';
  if (!path.split('/').every((part) => component.test(part))) {
    return 'must have a name of lower-case letters, digits and single . _ - between them, parts separated by /';
  }
  if (path.length + registry.length + 1 > longestName)
    return `must have a name of at most ${longestName} characters`;
  return undefined;
}
