/**
 * Tickets of the console: a browser cannot send an Authorization header with a WebSocket, and a URL is no place for a token
 * that lives long. So a ticket is 256 random bits that open one console, once, within 30 seconds. They are kept in memory
 * only, as hashes: a node that was restarted knows none.
 */
import { hash as digest } from 'node:crypto';
import type { Clock, Random } from '../../specs/clock.ts';
import { ProblemError } from '../../specs/problem.ts';

/** Milliseconds (the interface, part 5). */
export const ticketLifetimeMs = 30_000;

/** Unused ones of one service: nobody opens that many consoles in half a minute. */
const mostOfService = 100;

export interface Tickets<Grant extends { serviceId: string }> {
  /** @returns the ticket, to be shown once. Throws `rate_limited` when the service has too many that nobody used */
  mint(grant: Grant): string;
  /** What the ticket stands for. Whatever comes of it, it is used up by that; undefined when it was no good. */
  redeem(ticket: string, serviceId: string): Grant | undefined;
}

export function createTickets<Grant extends { serviceId: string }>(
  clock: Clock,
  random: Random,
): Tickets<Grant> {
  const grants = new Map<string, { grant: Grant; cancel: () => void }>();
  return {
    mint(grant) {
      const unused = [...grants.values()].filter((other) => other.grant.serviceId === grant.serviceId);
      if (unused.length >= mostOfService)
        throw new ProblemError(
          'rate_limited',
          'The service has too many console tickets that were not used.',
          { retryAfter: ticketLifetimeMs / 1000 },
        );
      // The prefix is for secret scanners, and for whatever hides tokens in a text.
      const ticket = `svc_ticket_${Buffer.from(random(32)).toString('base64url')}`;
      const key = digest('sha256', ticket, 'hex');
      const cancel = clock.after(ticketLifetimeMs, () => grants.delete(key));
      grants.set(key, { grant, cancel });
      return ticket;
    },
    redeem(ticket, serviceId) {
      // Found by its hash: how long that takes tells nothing about the others.
      const key = digest('sha256', ticket, 'hex');
      const found = grants.get(key);
      if (!found) return undefined;
      grants.delete(key);
      found.cancel();
      return found.grant.serviceId === serviceId ? found.grant : undefined;
    },
  };
}
