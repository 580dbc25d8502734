/** Output of the steps of a build: cut into lines, secrets hidden, the last ones kept to explain a failure. */
import type { LineMask } from '../../../specs/mask.ts';
import type { BuildRequest } from '../engine.ts';
import { shorten } from '../errors.ts';
import { LineSplitter } from '../lines.ts';

type Stream = 'stdout' | 'stderr';

/** Longest line of a log, in bytes; what is longer is cut into several. */
const longestLine = 64 * 1024;
/** Lines of a failed step that its error message repeats, and how much of each. */
const tailLines = 10;
const tailWidth = 200;

export class StepOutput {
  private readonly onLine: BuildRequest['onLine'];
  private readonly mask: LineMask | undefined;
  private readonly splitters = {
    stdout: new LineSplitter(longestLine),
    stderr: new LineSplitter(longestLine),
  };
  private tail: string[] = [];

  constructor({ onLine, mask }: Pick<BuildRequest, 'onLine' | 'mask'>) {
    this.onLine = onLine;
    this.mask = mask?.();
  }

  /** @param keep what of a line to pass on; undefined drops it */
  write(stream: Stream, output: Buffer, keep: (line: string) => string | undefined = (line) => line): void {
    for (const line of this.splitters[stream].push(output)) this.emit(stream, keep(line));
  }

  flush(): void {
    for (const stream of ['stdout', 'stderr'] as const)
      for (const line of this.splitters[stream].flush()) this.emit(stream, line);
  }

  /** What follows belongs to another step. */
  restart(): void {
    this.tail = [];
  }

  /**
   * Why a step failed: `[2/3] RUN make: exit code 2`, then its last lines.
   * @param error as the engine words it
   */
  explain(step: string, error: string, memoryBytes: number): string {
    this.flush();
    // The last one: the command comes before it, whatever it says.
    const code = /.*(?:exit code|non-zero code):? (\d+)/s.exec(error)?.[1];
    const killed =
      code === '137' ? `, killed: a build may use ${Math.floor(memoryBytes / 2 ** 20)} MiB of memory` : '';
    const why = code === undefined ? shorten(error) : `exit code ${code}${killed}`;
    return [`${step}: ${why}`, ...this.tail].join('\n');
  }

  private emit(stream: Stream, printed: string | undefined): void {
    if (printed === undefined) return;
    const line = this.mask?.(stream, printed) ?? printed;
    this.onLine({ stream, line });
    this.tail.push(line.length > tailWidth ? `${line.slice(0, tailWidth - 1)}…` : line);
    if (this.tail.length > tailLines) this.tail.shift();
  }
}
