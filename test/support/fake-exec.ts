/** A command in a container of the fake engine: one of those that it knows, each as it is in busybox. */
import { Writable } from 'node:stream';
import type { ExecOutput, ExecRequest, ExecSession } from '../../controllers/engine/exec.ts';
import type { TerminalSize } from '../../specs/console.ts';
import { Feed } from './feed.ts';

/** Commands that both engines run. */
export const consoleCommands = {
  /** Prints its input. */
  cat: ['cat'],
  /** Prints on both streams, and fails. */
  both: ['sh', '-c', 'echo out; echo err >&2; exit 3'],
  /** Prints rows and columns of its terminal, once it had time to get them. */
  size: ['sh', '-c', 'sleep 1; stty size'],
  /** Goes on for ever. */
  sleep: ['sleep', '1000'],
} as const;

export class FakeExec implements ExecSession {
  readonly stdin: Writable;
  readonly output: Feed<ExecOutput>;
  private readonly request: ExecRequest;
  private size: TerminalSize | undefined;
  private code: number | undefined;

  constructor(request: ExecRequest) {
    this.request = request;
    this.size = request.size;
    this.output = new Feed();
    this.stdin = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (this.is('cat')) this.print(chunk);
        done();
      },
      final: (done) => {
        if (this.is('cat')) this.end(0);
        done();
      },
    });
    if (this.is('both')) {
      this.print('out\n');
      this.print('err\n', 'stderr');
      this.end(3);
    } else if (!this.is('cat') && !this.is('size') && !this.is('sleep')) {
      this.print(`The container has no command "${request.command[0]}".\n`, 'stderr');
      this.end(127);
    } else if (this.is('size')) {
      // After what the test does in the same turn.
      setTimeout(() => {
        this.print(`${this.size?.rows ?? 0} ${this.size?.cols ?? 0}\r\n`);
        this.end(0);
      });
    }
  }

  get mark(): string | undefined {
    return this.request.mark;
  }

  resize(size: TerminalSize): Promise<void> {
    this.size = size;
    return Promise.resolve();
  }

  exitCode(): Promise<number> {
    if (this.code === undefined) return Promise.reject(new Error('fake engine: the command still runs'));
    return Promise.resolve(this.code);
  }

  close(): Promise<void> {
    this.end(129);
    return Promise.resolve();
  }

  /** It ends, with this code unless it has already. */
  end(code: number): void {
    this.code ??= code;
    this.output.end();
  }

  private print(data: string | Buffer, stream: ExecOutput['stream'] = 'stdout'): void {
    this.output.push({ stream, data: Buffer.from(data) });
  }

  private is(name: keyof typeof consoleCommands): boolean {
    return JSON.stringify(this.request.command) === JSON.stringify(consoleCommands[name]);
  }
}
