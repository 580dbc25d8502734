/** Commands beside a workload: a part of the engine port. Types only. */
import type { Writable } from 'node:stream';
import type { TerminalSize } from '../../specs/console.ts';

/** A command to run beside a workload, in its container and with its rights. */
export interface ExecRequest {
  command: readonly string[];
  /** With a terminal: keys are signals, and there is one stream of output. */
  tty: boolean;
  /** Of the terminal, as it is at first. */
  size?: TerminalSize;
  /** Beside the container's own. */
  env?: Readonly<Record<string, string>>;
}

export interface ExecOutput {
  /** Of a terminal all is `stdout`. */
  stream: 'stdout' | 'stderr';
  data: Buffer;
}

/** A command that was started. Whoever has it closes it. */
export interface ExecSession {
  /** Its input. The end of it is the end of the command's input; with a terminal it means nothing. */
  stdin: Writable;
  /** Pulls: who does not read slows the command down. To be read once. Throws `unavailable` when the engine breaks it off. */
  output: AsyncIterable<ExecOutput>;
  /** Does nothing once the command has ended. */
  resize(size: TerminalSize): Promise<void>;
  /**
   * To be asked once the output has ended. What cannot be started ends with 126 or 127, and with a line that says why.
   * Rejects with `not_found` when the container is gone.
   */
  exitCode(): Promise<number>;
  /**
   * Ends the command and every process of its session: SIGHUP, and SIGKILL for what is left after some seconds. What has a
   * session of its own by then (`setsid`) and is no descendant of it any longer lives on. Does nothing once the command has
   * ended. Rejects when a process could not be ended.
   */
  close(): Promise<void>;
}
