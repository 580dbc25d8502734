/**
 * A member's side of the control socket: dials home, again and again for ever, and goes on serving meanwhile. Knows
 * nothing of what a member does.
 */
import { connect } from 'node:net';
import { openChannel, type Channel } from './channel.ts';
import type { Applied, DrainLimits, FromMember, Hello, ToMember } from './protocol.ts';
import type { Snapshot } from './snapshot.ts';

/** Milliseconds between two tries to reach the control plane. */
const redialAfter = 150;

/** Characters of a snapshot: about 500,000 hosts. */
const maxLine = 64 * 1024 * 1024;

export interface HomeEvents {
  hello(): Hello;
  /** `hello` has been said. */
  connected(): void;
  /** Takes the snapshot over; the acknowledgement that this resolves to is sent. A rejection is reported instead. */
  snapshot(snapshot: Snapshot): Promise<Applied>;
  drain(limits: DrainLimits): void;
  /** @param keys 48 bytes */
  tickets(keys: Buffer): void;
}

export interface Home {
  /** Goes to the control plane. @returns false when it is not there: nothing is queued, `hello` tells all after a redial */
  send(message: FromMember): boolean;
}

export function dialHome(path: string, events: HomeEvents): Home {
  let channel: Channel<FromMember> | undefined;
  let applying: Promise<void> = Promise.resolve();
  const take = async (snapshot: Snapshot): Promise<void> => {
    try {
      channel?.send(await events.snapshot(snapshot));
    } catch (cause) {
      const fields = { revision: snapshot.revision, error: String(cause) };
      channel?.send({ type: 'report', level: 'warn', message: 'snapshot not applied', fields });
    }
  };
  const receive = (message: ToMember): void => {
    // One at a time and in order. Unknown types are of a newer control plane, which will replace this process.
    if (message.type === 'snapshot') applying = applying.then(() => take(message.snapshot));
    if (message.type === 'drain') events.drain(message);
    if (message.type === 'tickets') events.tickets(Buffer.from(message.keys, 'base64'));
  };
  const dial = (): void => {
    const socket = connect({ path });
    socket.once('connect', () => {
      channel?.send(events.hello());
      events.connected();
    });
    channel = openChannel(socket, maxLine, {
      message: (value) => receive(value as ToMember),
      closed: () => {
        channel = undefined;
        setTimeout(dial, redialAfter);
      },
    });
  };
  dial();
  return {
    send: (message) => {
      channel?.send(message);
      return channel !== undefined;
    },
  };
}
