/** Makes log lines of what a builder reports, the same for both builders: `[2/3] RUN make`, then what the step prints. */
import type { BuildRequest } from '../engine.ts';
import { shorten } from '../errors.ts';
import type { ProgressEvent } from '../progress.ts';
import { StepOutput } from './step-output.ts';
import { decodeTrace, type Vertex } from './trace.ts';

export interface BuildOutput {
  read(event: ProgressEvent): void;
  /** Content id of the image, once the build is done. */
  readonly imageId: string | undefined;
  /** Whether a step ran a command, and not only from the cache. */
  readonly ranCommand: boolean;
  /** Why the build failed, and the last lines of the step. @param error as the engine words it */
  explain(error: string): string;
}

type Request = Pick<BuildRequest, 'onLine' | 'mask' | 'limits'>;

/** Engines name the id of an image `ID` in an event of this shape. */
function imageIdOf({ aux }: ProgressEvent): string | undefined {
  const id = typeof aux === 'object' && aux !== null ? (aux as { ID?: unknown }).ID : undefined;
  return typeof id === 'string' && id.startsWith('sha256:') ? id : undefined;
}

export class BuildkitOutput implements BuildOutput {
  imageId: string | undefined;
  ranCommand = false;
  private readonly request: Request;
  private readonly steps = new Map<
    string,
    { name: string; output: StepOutput; announced: boolean; done: boolean }
  >();
  private failed: { digest: string; error: string } | undefined;

  constructor(request: Request) {
    this.request = request;
  }

  read(event: ProgressEvent): void {
    this.imageId = imageIdOf(event) ?? this.imageId;
    if (event['id'] !== 'moby.buildkit.trace' || typeof event['aux'] !== 'string') return;
    const { vertexes, logs } = decodeTrace(Buffer.from(event['aux'], 'base64'));
    for (const vertex of vertexes) this.readVertex(vertex);
    for (const { vertex, stream, output } of logs) this.step(vertex).output.write(stream, output);
  }

  explain(error: string): string {
    const failed = this.failed && this.steps.get(this.failed.digest);
    if (!this.failed || !failed?.announced) return shorten(error);
    return failed.output.explain(failed.name, this.failed.error, this.request.limits.memoryBytes);
  }

  private readVertex({ digest, name, cached, started, completed, error }: Vertex): void {
    const step = this.step(digest);
    // BuildKit's own steps (`[internal] load build context`) say nothing about the build.
    const shown = /^\[(?!internal\])/.test(name);
    if (shown && started && !step.announced) {
      step.name = shorten(name);
      step.announced = true;
      this.request.onLine({ stream: 'stdout', line: cached ? `CACHED ${step.name}` : step.name });
    }
    if (completed && !step.done) {
      step.done = true;
      step.output.flush();
      if (!cached && /\] RUN /.test(name)) this.ranCommand = true;
    }
    // The failure of one step cancels those beside it.
    if (error !== '' && (!this.failed || /context canceled/.test(this.failed.error)))
      this.failed = { digest, error };
  }

  private step(digest: string) {
    const known = this.steps.get(digest) ?? {
      name: '',
      output: new StepOutput(this.request),
      announced: false,
      done: false,
    };
    this.steps.set(digest, known);
    return known;
  }
}

/** What the classic builder says about its own work and not about the build. */
const chatter =
  /^(?: ---> (?:Running in )?[0-9a-f]{12}|Removing intermediate container [0-9a-f]{12}|Successfully (?:built|tagged) \S+)$/;
/** How its own lines begin. Each is an event of its own, even after output that did not end its line. */
const ownLine = /^(?: ---> |Removing intermediate |Step \d+\/\d+ : |Successfully )/;
/** It writes what a step prints on stderr in red. */
const red = /^\u001b\[91m([^]*?)(?:\u001b\[0m)?$/;

export class ClassicOutput implements BuildOutput {
  imageId: string | undefined;
  ranCommand = false;
  private readonly request: Request;
  private readonly output: StepOutput;
  private step: string | undefined;

  constructor(request: Request) {
    this.request = request;
    this.output = new StepOutput(request);
  }

  read(event: ProgressEvent): void {
    this.imageId = imageIdOf(event) ?? this.imageId;
    const { stream, status, id, progress } = event;
    if (typeof stream === 'string') this.readText(stream);
    // Of a pull: each step once, not every percent.
    else if (typeof status === 'string' && progress === undefined)
      this.request.onLine({ stream: 'stdout', line: typeof id === 'string' ? `${id}: ${status}` : status });
  }

  explain(error: string): string {
    return this.step === undefined
      ? shorten(error)
      : this.output.explain(this.step, error, this.request.limits.memoryBytes);
  }

  private readText(text: string): void {
    if (ownLine.test(text)) this.output.flush();
    const printed = red.exec(text)?.[1];
    if (printed !== undefined) this.output.write('stderr', Buffer.from(printed));
    else this.output.write('stdout', Buffer.from(text), (line) => this.reword(line));
  }

  private reword(line: string): string | undefined {
    const [, number, count, instruction] = /^Step (\d+)\/(\d+) : (.*)$/.exec(line) ?? [];
    if (number !== undefined && count !== undefined && instruction !== undefined) {
      this.output.flush();
      this.step = shorten(`[${number}/${count}] ${instruction}`);
      this.request.onLine({ stream: 'stdout', line: this.step });
      this.output.restart();
      return undefined;
    }
    if (line === ' ---> Using cache') return `CACHED ${this.step ?? ''}`;
    if (line.startsWith(' ---> Running in ') && this.step?.includes('] RUN ')) this.ranCommand = true;
    return chatter.test(line) ? undefined : line;
  }
}
