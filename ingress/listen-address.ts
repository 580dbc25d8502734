/** `host:port` or `:port`, as settings spell what to listen on. */

export interface ListenAddress {
  /** Absent: every address, IPv6 and IPv4. */
  host?: string;
  port: number;
}

/** Throws an Error that names the address when it is not of that form. */
export function parseListenAddress(text: string): ListenAddress {
  const match = /^(?:\[([0-9a-fA-F:.]+)\]|([^[\]:]*)):(\d{1,5})$/.exec(text);
  const port = Number(match?.[3]);
  if (match === null || port > 65_535) {
    throw new Error(`cannot listen on "${text}": write host:port, [IPv6]:port or :port`);
  }
  const host = match[1] ?? match[2] ?? '';
  return host === '' || host === '*' ? { port } : { host, port };
}
