/** Consoles whose commands the test plays by hand: what they print, what they read, and how they end. */
import { Writable } from 'node:stream';
import type { Console, ConsoleProcess, ConsoleRequest } from '../../api/ports.ts';
import type { TerminalSize } from '../../specs/console.ts';

type Output = { stream: 'stdout' | 'stderr'; data: Buffer };

export class FakeProcess implements ConsoleProcess {
  readonly container: string;
  readonly request: ConsoleRequest;
  readonly stdin: Writable;
  readonly sizes: TerminalSize[] = [];
  /** Prints this without end, one piece whenever one is asked for. */
  floods: Buffer | undefined;
  /** Set to leave the input unread. */
  isDeaf = false;
  inputEnded = false;
  closed = false;
  /** Pieces of output that were asked for. */
  pulled = 0;
  private readonly read: Buffer[] = [];
  private readonly printed: Output[] = [];
  private code: number | undefined;
  private failure: Error | undefined;
  private wake: () => void = () => undefined;

  constructor(container: string, request: ConsoleRequest) {
    this.container = container;
    this.request = request;
    this.stdin = new Writable({
      highWaterMark: 16 * 1024,
      write: (chunk: Buffer, _encoding, done) => {
        this.read.push(chunk);
        if (!this.isDeaf) done();
      },
      final: (done) => {
        this.inputEnded = true;
        done();
      },
    });
  }

  /** What came in so far. */
  get input(): Buffer {
    return Buffer.concat(this.read);
  }

  get output(): AsyncIterable<Output> {
    return this.pieces();
  }

  print(data: string | Buffer, stream: Output['stream'] = 'stdout'): void {
    this.printed.push({ stream, data: Buffer.from(data) });
    this.wake();
  }

  /** It ends by itself. */
  exit(code: number): void {
    this.code ??= code;
    this.wake();
  }

  /** The engine breaks it off. */
  fail(error: Error): void {
    this.failure = error;
    this.wake();
  }

  resize(size: TerminalSize): Promise<void> {
    this.sizes.push(size);
    return Promise.resolve();
  }

  exitCode(): Promise<number> {
    if (this.code === undefined) throw new Error('fake console: it still runs');
    return Promise.resolve(this.code);
  }

  close(): Promise<void> {
    this.closed = true;
    this.exit(129);
    return Promise.resolve();
  }

  private async *pieces(): AsyncGenerator<Output, undefined> {
    for (;;) {
      this.pulled += 1;
      if (this.failure) throw this.failure;
      const next = this.printed.shift();
      if (next) yield next;
      else if (this.code !== undefined) return undefined;
      else if (this.floods) yield { stream: 'stdout', data: this.floods };
      else await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}

export class FakeConsole implements Console {
  /** All that were opened, oldest first. */
  readonly opened: FakeProcess[] = [];
  /** Set to let every opening fail. */
  failure: Error | undefined;

  open(container: string, request: ConsoleRequest): Promise<ConsoleProcess> {
    if (this.failure) return Promise.reject(this.failure);
    const process = new FakeProcess(container, request);
    this.opened.push(process);
    return Promise.resolve(process);
  }

  /** The last one that was opened. */
  get last(): FakeProcess {
    const process = this.opened.at(-1);
    if (!process) throw new Error('fake console: nobody opened one');
    return process;
  }
}
