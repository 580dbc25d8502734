/** What is under way on each client connection. node:http tells only the first of pipelined requests that the client has gone. */
import type { Socket } from 'node:net';

export interface Abortable {
  abort(): void;
}

export interface Connections {
  add(socket: Socket, exchange: Abortable): void;
  remove(socket: Socket, exchange: Abortable): void;
  isBusy(socket: Socket): boolean;
}

export function trackConnections(): Connections {
  const underWay = new WeakMap<Socket, Set<Abortable>>();
  const track = (socket: Socket): Set<Abortable> => {
    const exchanges = new Set<Abortable>();
    underWay.set(socket, exchanges);
    socket.once('close', () => {
      for (const exchange of [...exchanges]) exchange.abort();
    });
    return exchanges;
  };
  return {
    add: (socket, exchange) => void (underWay.get(socket) ?? track(socket)).add(exchange),
    remove: (socket, exchange) => void underWay.get(socket)?.delete(exchange),
    isBusy: (socket) => (underWay.get(socket)?.size ?? 0) > 0,
  };
}
