/** The socket that members dial home to. Knows no fleet: hands every member that introduced itself to `welcome`. */
import { chmod, chown, rename, rm } from 'node:fs/promises';
import { createServer, type Server, type Socket } from 'node:net';
import { openChannel, type Channel, type ChannelEvents } from '../channel.ts';
import { parseFromMember, type FromMember, type Hello, type ToMember } from '../protocol.ts';
import { controlSocket, ingressUser } from '../run-dir.ts';

/** Characters: room for every replica of a big node in `busy`. */
const maxLine = 4 * 1024 * 1024;

/** Milliseconds for the first line. */
const helloWithin = 5_000;

export interface Guest {
  message(message: FromMember): void;
  closed(): void;
}

/** @returns undefined to turn it away */
export type Welcome = (hello: Hello, channel: Channel<ToMember>) => Guest | undefined;

/** Takes the place of the socket that a killed control plane left behind, in one step and with its mode right. */
export async function listenForMembers(runDir: string, welcome: Welcome): Promise<Server> {
  const server = createServer((socket) => receive(socket, welcome));
  const path = controlSocket(runDir);
  const temporary = `${path}.${process.pid}`;
  await rm(temporary, { force: true });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(temporary, resolve);
  });
  await chmod(temporary, 0o600);
  const user = ingressUser();
  if (user !== undefined) await chown(temporary, user.uid, user.gid);
  await rename(temporary, path);
  return server;
}

function receive(socket: Socket, welcome: Welcome): void {
  let guest: Guest | undefined;
  socket.setTimeout(helloWithin, () => socket.destroy());
  const events: ChannelEvents = {
    message: (value) => {
      const message = parseFromMember(value);
      // A type of another version: `hello` told whether that is so, and the member is being replaced.
      if (message === undefined) return;
      if (guest !== undefined) {
        guest.message(message);
        return;
      }
      if (message.type === 'hello') guest = welcome(message, channel);
      if (guest === undefined) channel.close();
      else socket.setTimeout(0);
    },
    closed: () => guest?.closed(),
  };
  const channel = openChannel<ToMember>(socket, maxLine, events);
}
