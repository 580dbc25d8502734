/** What a container printed, line by line. */
import type { Clock } from '../../../specs/clock.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline } from '../deadline.ts';
import { frames, type Frame } from '../demux.ts';
import { EngineError } from '../engine.ts';
import { toEngineError } from '../errors.ts';
import type { EngineLogLine, LogRequest } from '../output.ts';
import { openStream } from './stream.ts';

/** Longest line; what is longer is cut into several. Bytes of UTF-8 after decoding damaged ones. */
const longestLine = 64 * 1024;

/**
 * Ends when the container stops, when it all was read (without `follow`) or when the signal aborts. Throws when the
 * stream breaks: follow again from the last line's time. The engine may also end it when it is shut down in order, so
 * look whether the container still runs.
 */
export async function* replicaLogs(
  { slow, linePiece }: Connection,
  clock: Clock,
  id: string,
  { since, follow, signal }: LogRequest,
): AsyncGenerator<EngineLogLine, undefined> {
  const hasEnded = (): boolean => signal.aborted;
  if (hasEnded()) return undefined;
  const query = {
    stdout: true,
    stderr: true,
    timestamps: true,
    follow,
    ...(since === undefined ? {} : { since: unixTime(since) }),
  };
  const path = `/containers/${encodeURIComponent(id)}/logs`;
  const stream = await withDeadline(clock, 'read the log', deadlines.read, (deadline) =>
    openStream(slow, { method: 'GET', path, query, signal: AbortSignal.any([signal, deadline]) }),
  ).catch((error: unknown) => {
    if (!hasEnded()) throw error;
  });
  if (!stream) return undefined;
  const lines = { stdout: new Assembler('stdout', linePiece), stderr: new Assembler('stderr', linePiece) };
  try {
    for await (const frame of frames(stream as AsyncIterable<Buffer>)) yield* lines[frame.stream].push(frame);
    yield* lines.stdout.flush();
    yield* lines.stderr.flush();
  } catch (error) {
    if (!hasEnded()) throw toEngineError(error, 'read the log');
  } finally {
    stream.destroy();
  }
  return undefined;
}

/**
 * What it prints from now on. The engine gives whoever is attached about a megabyte of room, and then waits for him; as long
 * as it does, it takes nothing more from the workload (moby, container/stream: `BytesPipe`).
 */
export async function* replicaOutput(
  { slow }: Connection,
  clock: Clock,
  id: string,
  signal: AbortSignal,
): AsyncGenerator<Buffer, undefined> {
  const hasEnded = (): boolean => signal.aborted;
  if (hasEnded()) return undefined;
  const query = { stream: true, stdout: true, stderr: true };
  const path = `/containers/${encodeURIComponent(id)}/attach`;
  const stream = await withDeadline(clock, 'read the output', deadlines.read, (deadline) =>
    openStream(slow, { method: 'POST', path, query, signal: AbortSignal.any([signal, deadline]) }),
  ).catch((error: unknown) => {
    if (!hasEnded()) throw error;
  });
  if (!stream) return undefined;
  try {
    yield* stream as AsyncIterable<Buffer>;
  } catch (error) {
    if (!hasEnded()) throw toEngineError(error, 'read the output');
  } finally {
    stream.destroy();
  }
  return undefined;
}

/** RFC 3339 to the seconds and nanoseconds of the engine's `since`. */
export function unixTime(time: string): string {
  const [, whole, fraction = ''] = /^(.+?)(?:\.(\d{1,9}))?Z$/.exec(time) ?? [];
  const ms = Date.parse(`${whole ?? ''}Z`);
  if (Number.isNaN(ms)) throw new EngineError('refused', `"${time}" is no time in UTC as RFC 3339 writes it`);
  return `${ms / 1000}.${fraction.padEnd(9, '0')}`;
}

/**
 * A frame is one write of the engine: a time, a space, and a line or (without line end) the next piece of a long one. What a run
 * left without a line end is a line as well: the next run goes on in the same log.
 */
class Assembler {
  private readonly stream: EngineLogLine['stream'];
  private readonly fullPiece: number;
  private at = '';
  private text: Buffer[] = [];
  private size = 0;

  constructor(stream: EngineLogLine['stream'], fullPiece = 0) {
    this.stream = stream;
    this.fullPiece = fullPiece;
  }

  *push({ payload }: Frame): Generator<EngineLogLine> {
    const space = payload.indexOf(' ');
    const at = payload.toString('latin1', 0, Math.max(space, 0));
    if (!/^\d{4}-\d\d-\d\dT[\d:.]+(Z|[+-]\d\d:\d\d)$/.test(at))
      throw new EngineError(
        'unavailable',
        'The container engine sent a log line without its time: it is followed again',
      );
    const ends = payload.at(-1) === 0x0a;
    const part = payload.subarray(space + 1, ends ? -1 : undefined);
    if (this.size === 0) this.at = at;
    this.text.push(Buffer.from(part));
    this.size += part.length;
    if (ends || part.length < this.fullPiece || this.size >= longestLine) yield this.take();
  }

  *flush(): Generator<EngineLogLine> {
    if (this.size > 0) yield this.take();
  }

  private take(): EngineLogLine {
    const line = Buffer.concat(this.text).toString('utf8').replace(/\r$/, '');
    this.text = [];
    this.size = 0;
    return { at: this.at, stream: this.stream, line };
  }
}
