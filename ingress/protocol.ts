/**
 * What a worker or the bridge (a *member*) and the control plane say to each other: one JSON object per line over the
 * control socket. `hello` and `drain` must stay readable for every other version for ever; all else may change with
 * `protocolVersion`. Loaded by every process: no dependencies.
 */
import type { Snapshot } from './snapshot.ts';
import { isTrafficChanges, type TrafficChanges } from './traffic.ts';

export const protocolVersion = 2;

export type Role = 'worker' | 'bridge';

/** A worker's exit code when it cannot listen; the last line that it wrote says why. EX_CONFIG of sysexits.h. */
export const cannotListen = 78;

/** First line of a member, after every (re)connect. A worker says it once it listens. */
export interface Hello {
  type: 'hello';
  protocol: number;
  /** Fingerprint of the code and settings that it was started with (supervisor/program.ts). */
  program: string;
  role: Role;
  slot: number;
  pid: number;
  /** Of the snapshot that it serves; 0 before the first. */
  revision: number;
  /** See `Applied`. */
  busy: readonly string[];
  /** It was told to, be it by an earlier control plane: it listens no more. */
  draining: boolean;
}

/** From now on every new request goes by this revision. */
export interface Applied {
  type: 'applied';
  revision: number;
  /** Ids of replicas that are no longer routed but have requests under way. */
  busy: readonly string[];
}

/** The last request of a replica that is no longer routed has ended. */
export interface Idle {
  type: 'idle';
  replica: string;
}

/**
 * What was counted, at most once per second, and always before an `applied` or `idle` that follows from it: so the figures of
 * a replica that is idle are final. After `hello` all of it, then what changed.
 */
export interface Counted extends TrafficChanges {
  type: 'traffic';
}

/** A line for the control plane's log. */
export interface Report {
  type: 'report';
  level: 'info' | 'warn';
  message: string;
  fields: Record<string, string | number>;
}

export type FromMember = Hello | Applied | Idle | Counted | Report;

/** Milliseconds. */
export interface DrainLimits {
  /** For how long kept-alive connections without a request under way stay open. */
  idle_ms: number;
  /** After this whatever is still under way is cut. */
  limit_ms: number;
}

/**
 * What session tickets are sealed with, the same for all workers, so that a client may resume at any of them. Held in memory
 * only: whoever has it reads what was resumed with it.
 */
export interface Tickets {
  type: 'tickets';
  /** 48 bytes, base64. */
  keys: string;
}

export type ToMember = { type: 'snapshot'; snapshot: Snapshot } | Tickets | ({ type: 'drain' } & DrainLimits);

/**
 * Checks a member's line: members are less trusted than the control plane, which may run as root.
 * @returns undefined for what is no message of this version
 */
export function parseFromMember(value: unknown): FromMember | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const message = value as Record<string, unknown>;
  switch (message['type']) {
    case 'hello':
      return isHello(message) ? (value as Hello) : undefined;
    case 'applied':
      return isCount(message['revision']) && isStrings(message['busy']) ? (value as Applied) : undefined;
    case 'idle':
      return typeof message['replica'] === 'string' ? (value as Idle) : undefined;
    case 'traffic':
      return isTrafficChanges(message) ? (value as Counted) : undefined;
    case 'report':
      return isReport(message) ? (value as Report) : undefined;
    default:
      return undefined;
  }
}

function isHello(message: Record<string, unknown>): boolean {
  const { protocol, program, role, slot, pid, revision, busy, draining } = message;
  return (
    isCount(protocol) &&
    typeof program === 'string' &&
    (role === 'worker' || role === 'bridge') &&
    isCount(slot) &&
    isCount(pid) &&
    pid > 1 &&
    isCount(revision) &&
    isStrings(busy) &&
    typeof draining === 'boolean'
  );
}

function isReport(message: Record<string, unknown>): boolean {
  const { level, message: text, fields } = message;
  return (
    (level === 'info' || level === 'warn') &&
    typeof text === 'string' &&
    typeof fields === 'object' &&
    fields !== null
  );
}

function isCount(value: unknown): value is number {
  return typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}
