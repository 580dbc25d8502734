/**
 * What the bridge says before anything else on a socket that acknowledges: one byte, how its connection to the workload
 * went. Who dialled waits for it, for only then is it known that the workload has seen nothing: connecting to the bridge
 * itself always succeeds.
 */

/** The byte is the index. Behind the first come the workload's own bytes; behind any other, nothing. */
const outcomes = ['reached', 'refused', 'silent', 'unreachable'] as const;

export type Outcome = (typeof outcomes)[number];

const words = {
  refused: 'the workload refuses connections to its port',
  silent: 'the workload takes no connection at its port',
  unreachable: 'there is no way to the workload',
  lost: 'the bridge ended before it had reached the workload',
} as const;

/** No connection to a workload behind the bridge: it has seen nothing of what it was to be sent. */
export class UnreachedError extends Error {
  readonly why: keyof typeof words;

  constructor(why: keyof typeof words) {
    super(words[why]);
    this.why = why;
  }
}

export function acknowledgement(outcome: Outcome): Uint8Array {
  return Uint8Array.of(outcomes.indexOf(outcome));
}

/** @returns undefined when it was reached. A byte of another bridge's that means nothing here is no reason to go on. */
export function failureIn(byte: number | undefined): UnreachedError | undefined {
  const outcome = outcomes[byte ?? -1] ?? 'lost';
  return outcome === 'reached' ? undefined : new UnreachedError(outcome);
}

/**
 * The socket that acknowledges, beside the one that does not: workers of an earlier release, which are still there for a
 * while after an upgrade, would pass the byte on to their client. As long as a `direct` socket's path, and with the ending
 * by which any bridge removes what nobody wants any longer.
 * @param socket of a `BridgeEntry`
 */
export function acknowledging(socket: string): string {
  return socket.replace(/(\.sock)?$/, '.ack.sock');
}
