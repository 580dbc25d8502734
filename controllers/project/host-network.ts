/** The host's side of project networks. */

export interface HostNetwork {
  /** @returns CIDRs that it routes to; none where it does not tell */
  routes: () => Promise<string[]>;
  /**
   * Has the host find at once what is started again in this range. Does nothing where the network is not on this host, or
   * where it may not. May be done twice; forgotten at a reboot.
   * @param subnet CIDR
   */
  hasten: (subnet: string) => Promise<void>;
}
