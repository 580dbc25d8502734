/** Connects to a workload: asks again while nothing is said, and gives up in time. */
import { connect, type Socket } from 'node:net';

/**
 * Milliseconds for the workload's network to take a connection, question by question. On the node's own networks it takes well
 * under one: later than this the question was lost, for the workload is too busy to accept, or it is gone, and a host that is
 * gone does not refuse. TCP itself would ask again only after a second (RFC 6298, 2.1), and a workload that was started again
 * at its old address is there much sooner. Who waits for the acknowledgement asks again as well after that second, and may have
 * another replica to ask. Who does not is to get all that TCP does, after 1, 3 and 7 s.
 */
export const patience = { acknowledged: [100, 150, 250, 500], plain: [8_000] } as const;

export interface Reached {
  reached: (upstream: Socket) => void;
  unreached: (error: Error) => void;
}

/** @returns `cancel`: neither is called then. It does nothing once one of them was. */
export function reach(
  { address: host, port }: { address: string; port: number },
  within: readonly number[],
  { reached, unreached }: Reached,
): { cancel: () => void } {
  let upstream: Socket | undefined;
  const ask = (question: number): void => {
    const asked = connect({ host, port, allowHalfOpen: true, noDelay: true });
    upstream = asked;
    const silent = (): void => {
      // If this process itself was held up, it only has yet to hear of the connection.
      setImmediate(() => {
        if (upstream !== asked || !asked.connecting) return;
        if (question + 1 >= within.length) {
          const error = new Error(`connect ETIMEDOUT ${host}:${port}`);
          asked.destroy(Object.assign(error, { code: 'ETIMEDOUT' }));
          return;
        }
        asked.destroy();
        ask(question + 1);
      });
    };
    const failed = (error: Error): void => {
      upstream = undefined;
      unreached(error);
    };
    asked.setTimeout(within[question] ?? 0, silent).once('error', failed);
    asked.once('connect', () => {
      asked.setTimeout(0).off('timeout', silent).off('error', failed);
      upstream = undefined;
      if (isBeside(asked.localAddress, host)) {
        reached(asked);
        return;
      }
      asked.destroy();
      const error = new Error(`connect ENETUNREACH ${host}:${port}: its network is not there`);
      unreached(Object.assign(error, { code: 'ENETUNREACH' }));
    });
  };
  ask(0);
  return {
    cancel: () => {
      upstream?.destroy();
      upstream = undefined;
    },
  };
}

/**
 * A network of a project is a /24 (controllers/project/subnet.ts) in which the node has an address to ask from. Where it is gone,
 * the host's default route leads to whoever has the address out there, who must not get what is meant for the workload.
 */
function isBeside(own: string | undefined, address: string): boolean {
  const network = (ip: string): string => ip.slice(0, ip.lastIndexOf('.'));
  return own !== undefined && network(own) === network(address);
}
