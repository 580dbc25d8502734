/** Which host a request is for. Pure. */

/** RFC 9112, 3.2: a host name or address, and maybe a port. Names of DNS only: what else is there routes nowhere. */
const form = /^([a-z0-9_.-]+|\[[0-9a-f:.]+\])(?::\d{0,5})?$/;

/**
 * @param authority value of Host, or the authority of an absolute-form target
 * @returns lower case, without port and without one trailing dot; undefined when it is not of that form
 */
export function canonicalHost(authority: string): string | undefined {
  // A name of DNS has at most 253 characters; a dot and a port come on top.
  if (authority.length > 260) return undefined;
  const host = form.exec(authority.toLowerCase())?.[1];
  return host?.endsWith('.') === true ? host.slice(0, -1) || undefined : host;
}
