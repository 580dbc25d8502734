/** One request to one replica. Says how it went; what follows from that is the exchange's business. */
import { request, type ClientRequest, type IncomingMessage, type RequestOptions } from 'node:http';
import type { Socket } from 'node:net';

/** More answers of the 1xx kind than any server sends. */
const maxInformation = 16;

/** Bytes of a replica's answer before its body. */
const maxAnswerHead = 64 * 1024;

export interface AttemptEvents {
  /** There is a connection: from here on the replica may have seen something. */
  connected(): void;
  /** There is no connection: the replica has seen nothing, and nothing of the body is used up. */
  unreachable(error: Error): void;
  /** There was one, but no answer came. Not called after `answered` or `upgraded`. */
  failed(error: Error): void;
  /** 100 Continue. */
  proceed(): void;
  /** The head is there. The body ends with 'end', or with 'error' when the replica broke off. */
  answered(response: IncomingMessage): void;
  /** 101. `head`: what the replica sent already. */
  upgraded(response: IncomingMessage, socket: Socket, head: Buffer): void;
}

/**
 * @param body undefined: there is none. It is not touched before there is a connection.
 * Throws when node:http refuses the target or a header; nothing is sent then.
 */
export function attempt(
  options: RequestOptions,
  body: IncomingMessage | undefined,
  events: AttemptEvents,
): ClientRequest {
  const upstream = request({ ...options, maxHeaderSize: maxAnswerHead, insecureHTTPParser: false });
  let state: 'connecting' | 'asked' | 'answered' = 'connecting';
  let informed = 0;
  const connected = (): void => {
    state = 'asked';
    events.connected();
    if (body === undefined) return;
    body.pipe(upstream);
    // The replica may answer to the head alone.
    if (body.readableLength === 0) upstream.flushHeaders();
  };
  upstream.once('socket', (socket) => {
    // It comes once somebody is at its other end (ingress/dial.ts). Of one that has broken since, 'error' will tell.
    if (!socket.destroyed) connected();
  });
  upstream.on('error', (error) => {
    if (state === 'connecting') events.unreachable(error);
    else if (state === 'asked') events.failed(error);
    state = 'answered';
  });
  upstream.on('continue', () => events.proceed());
  upstream.on('information', () => {
    informed += 1;
    if (informed > maxInformation) upstream.destroy(new Error('too many 1xx answers'));
  });
  upstream.once('response', (response) => {
    state = 'answered';
    events.answered(response);
  });
  upstream.once('upgrade', (response, socket, head) => {
    state = 'answered';
    events.upgraded(response, socket, head);
  });
  if (body === undefined) upstream.end();
  return upstream;
}
