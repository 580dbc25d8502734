/**
 * The console: a command beside a workload, over a WebSocket. Binary frames are bytes either way: input, and what the command
 * prints. Text frames are JSON, of the shapes below.
 */
import { Type, type Static } from '@sinclair/typebox';

const strict = { additionalProperties: false };

/** The kernel keeps 16 bits of each. */
const extent = Type.Integer({ minimum: 1, maximum: 65_535 });
export const TerminalSize = Type.Object({ cols: extent, rows: extent }, strict);
export type TerminalSize = Static<typeof TerminalSize>;

/** Body of `POST /v1/services/{id}/console/tickets`. */
export const OpenConsole = Type.Object(
  {
    command: Type.Optional(
      // An argument ends where its first zero byte is.
      Type.Array(Type.String({ maxLength: 65_536, pattern: '^[^\\u0000]*$' }), {
        minItems: 1,
        maxItems: 1000,
        description: 'program and arguments; no shell in between. Default: sh',
      }),
    ),
    tty: Type.Optional(
      Type.Boolean({ default: true, description: 'false: pipes, with stdout and stderr apart' }),
    ),
    size: Type.Optional(TerminalSize),
    replica: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'id, or the end of it. Default: a ready one of the deployment that serves',
      }),
    ),
  },
  strict,
);
export type OpenConsole = Static<typeof OpenConsole>;

export const ConsoleTicket = Type.Object({
  ticket: Type.String({ description: 'for `?ticket=` of the socket; once' }),
  expires_at: Type.String({ format: 'date-time' }),
});
export type ConsoleTicket = Static<typeof ConsoleTicket>;

/** Text from the client: another size of the terminal, or (without a terminal) the end of the input. */
export const ClientFrame = Type.Union([
  Type.Object({ resize: TerminalSize }, strict),
  Type.Object({ eof: Type.Literal(true) }, strict),
]);
export type ClientFrame = Static<typeof ClientFrame>;

/** Text from the server: what a command without a terminal prints on stderr (base64), or its exit code, which is the last. */
export type ServerFrame = { stderr: string } | { exit: number };

/** The largest frame that the server takes, in bytes. */
export const longestFrame = 1024 * 1024;

/** Why the server closed (RFC 6455, section 7.4; from 4000 on they are the application's). The reason says it in words. */
export const closeCodes = {
  /** The command has ended; its exit code came before. */
  done: 1000,
  /** The node stops. */
  leaving: 1001,
  /** A text frame that is none of the above. */
  unsupported: 1003,
  /** Input after its end. */
  misused: 1008,
  /** A frame that is too large. */
  tooLarge: 1009,
  /** The command can no longer be reached. */
  failed: 1011,
  /** The token or the role is gone. */
  notAllowed: 4403,
  idle: 4408,
  /** The service or the replica is gone. */
  gone: 4410,
} as const;
export type CloseCode = (typeof closeCodes)[keyof typeof closeCodes];
