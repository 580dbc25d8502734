/**
 * Decodes BuildKit's progress: `moby.buildkit.v1.StatusResponse` (buildkit, api/services/control/control.proto), of which
 * only steps and their output are read. Output is bytes. (dockerode's reader shows it base64-encoded.) Pure.
 */
import { EngineError } from '../engine.ts';

/** A step of the build. Sent again whenever it changes. */
export interface Vertex {
  digest: string;
  name: string;
  cached: boolean;
  started: boolean;
  completed: boolean;
  error: string;
}

export interface VertexLog {
  /** Digest of the step. */
  vertex: string;
  stream: 'stdout' | 'stderr';
  output: Buffer;
}

export interface Trace {
  vertexes: Vertex[];
  logs: VertexLog[];
}

/** One field: numbers of a varint beyond 2^53 lose precision, none of ours comes near. */
interface Field {
  number: number;
  value: number | Buffer;
}

/** @throws EngineError when it is not such a message */
export function decodeTrace(message: Buffer): Trace {
  const trace: Trace = { vertexes: [], logs: [] };
  for (const { number, value } of fields(message)) {
    if (number === 1) trace.vertexes.push(vertexOf(bytes(value)));
    if (number === 3) trace.logs.push(logOf(bytes(value)));
  }
  return trace;
}

function vertexOf(message: Buffer): Vertex {
  const vertex: Vertex = { digest: '', name: '', cached: false, started: false, completed: false, error: '' };
  for (const { number, value } of fields(message)) {
    if (number === 1) vertex.digest = text(value);
    if (number === 3) vertex.name = text(value);
    if (number === 4) vertex.cached = value === 1;
    if (number === 5) vertex.started = true;
    if (number === 6) vertex.completed = true;
    if (number === 7) vertex.error = text(value);
  }
  return vertex;
}

function logOf(message: Buffer): VertexLog {
  const log: VertexLog = { vertex: '', stream: 'stdout', output: Buffer.alloc(0) };
  for (const { number, value } of fields(message)) {
    if (number === 1) log.vertex = text(value);
    if (number === 3) log.stream = value === 2 ? 'stderr' : 'stdout';
    if (number === 4) log.output = bytes(value);
  }
  return log;
}

/** Protocol Buffers encoding: a tag (number << 3 | wire type), then a varint, 8 bytes, a length and bytes, or 4 bytes. */
function* fields(message: Buffer): Generator<Field> {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    for (let factor = 1; factor < 2 ** 70; factor *= 128) {
      const byte = message[at++];
      if (byte === undefined) throw damaged();
      value += (byte & 0x7f) * factor;
      if (byte < 0x80) return value;
    }
    throw damaged();
  };
  const take = (length: number): Buffer => {
    if (at + length > message.length) throw damaged();
    at += length;
    return message.subarray(at - length, at);
  };
  while (at < message.length) {
    const tag = varint();
    const number = Math.floor(tag / 8);
    const wire = tag % 8;
    if (wire === 0) yield { number, value: varint() };
    else if (wire === 1) yield { number, value: take(8) };
    else if (wire === 2) yield { number, value: take(varint()) };
    else if (wire === 5) yield { number, value: take(4) };
    else throw damaged();
  }
}

function bytes(value: Field['value']): Buffer {
  if (typeof value === 'number') throw damaged();
  return value;
}

function text(value: Field['value']): string {
  return bytes(value).toString('utf8');
}

function damaged(): EngineError {
  return new EngineError('unavailable', 'The container engine sent build progress that cannot be read');
}
