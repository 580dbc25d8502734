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
  /**
   * Letters and digits that nobody else has: what the command and all that it starts carry in their environment
   * (`SVC_CONSOLE`), and are known by when they are ended.
   */
  mark?: string;
  /** Told what the engine calls the command, before it is started. It is not when this rejects. */
  made?: (exec: string) => Promise<void>;
}

/** A command that was started by a process which is gone, and its session with it. */
export interface LeftExec {
  /** Of the container: its full id. */
  container: string;
  /** What the engine calls the command. */
  exec: string;
  mark: string;
}

/** The part of the engine port that is about them. */
export interface ExecEngine {
  /**
   * Runs a command in a container that runs. Rejects with `not_found` when there is no such container, with `conflict`
   * when it does not run.
   */
  exec(container: string, request: ExecRequest): Promise<ExecSession>;
  /**
   * Ends such a command and all that carries its mark, as `close` of its session would, also where the command itself has
   * ended meanwhile. Succeeds when nothing of it is there. Rejects when a process could not be ended.
   */
  endExec(left: LeftExec): Promise<void>;
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
   * To be asked once the output has ended. What is not there ends with 127, what cannot be started with 126, both with one
   * line of output that says so. Rejects with `not_found` when the container is gone.
   */
  exitCode(): Promise<number>;
  /**
   * Ends the command and everything that descends from it, has its session or carries its mark: SIGHUP, and SIGKILL for what
   * is left after some seconds. Does nothing once the command has ended. Rejects when a process could not be ended.
   */
  close(): Promise<void>;
}
