/** Logs, whole or as they come. */
import type { Clock } from '../../../specs/clock.ts';
import { followEvents } from '../follow.ts';
import type { Transport } from '../http.ts';
import { path } from '../path.ts';
import type { ServerSentEvent } from '../server-sent-events.ts';

export interface LogQuery {
  /** RFC 3339 time. */
  since?: string | undefined;
  /** How many of the newest lines. */
  tail?: number | undefined;
  replica?: string | undefined;
  /** Id or number. */
  deployment?: string | undefined;
  /** Of each replica the run before its present one. */
  previous?: 'true' | undefined;
}

interface StreamOptions {
  signal: AbortSignal;
  onReconnect?: (attempt: number) => void;
}

/** The node sends a comment every 15 s, so three of them missed mean a dead connection. */
const streamIdleTimeout = 50_000;

export function logRoutes(http: Transport, clock: Clock) {
  const text = (at: string, query: LogQuery, signal: AbortSignal, accept: string) =>
    http.stream(at, { query: { ...query }, signal, headers: { accept } });

  const events = (
    at: string,
    query: LogQuery,
    { signal, onReconnect }: StreamOptions,
  ): AsyncIterable<ServerSentEvent> =>
    followEvents({
      clock,
      signal,
      onReconnect,
      open: (lastEventId) =>
        http.stream(at, {
          query: { ...query },
          signal,
          idleTimeout: streamIdleTimeout,
          headers: {
            accept: 'text/event-stream',
            ...(lastEventId === '' ? {} : { 'last-event-id': lastEventId }),
          },
        }),
    });

  return {
    /** The whole log as text. */
    deploymentLog: (id: string, signal: AbortSignal) =>
      text(path`/v1/deployments/${id}/logs`, {}, signal, 'text/plain'),
    followDeployment: (id: string, options: StreamOptions) =>
      events(path`/v1/deployments/${id}/logs/stream`, {}, options),
    /** What the run printed, as text. */
    runLog: (id: string, signal: AbortSignal) => text(path`/v1/runs/${id}/logs`, {}, signal, 'text/plain'),
    followRun: (id: string, options: StreamOptions) => events(path`/v1/runs/${id}/logs/stream`, {}, options),
    /** One WorkloadLogLine as JSON per line. */
    serviceLog: (id: string, query: LogQuery, signal: AbortSignal) =>
      text(path`/v1/services/${id}/logs`, query, signal, 'application/x-ndjson'),
    followService: (id: string, query: LogQuery, options: StreamOptions) =>
      events(path`/v1/services/${id}/logs/stream`, query, options),
  };
}
