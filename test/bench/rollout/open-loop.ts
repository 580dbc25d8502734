/**
 * Load that does not wait: requests go out at their times, however long the answers take, and each is timed from the moment
 * at which it was due. Otherwise a server that stalls would slow down whoever measures it, and look well.
 */
import { Agent, request } from 'node:http';
import { now } from '../push/clock.ts';

export interface Sample {
  /** When it was due, and when its answer had come whole; milliseconds. */
  due: number;
  ended: number;
  /** What came; undefined when nothing did, or another status than 200. */
  text: string | undefined;
}

export interface OpenLoop {
  readonly samples: readonly Sample[];
  /** What was wrong with those that failed, in words. */
  readonly failures: readonly string[];
  /** Waits for the answers that are still to come. */
  stop(): Promise<void>;
}

/** At once; as many as wait for a release that takes some seconds must find a place. */
const connections = 12_000;
/** Milliseconds between two looks at what is due. */
const tick = 5;

/**
 * @param host also for the port of the API, which does not look at it
 * @param rate requests per second
 * @param more path and headers of the requests
 */
export function openLoop(
  port: number,
  host: string,
  rate: number,
  { path = '/', headers = {} }: { path?: string; headers?: Record<string, string> } = {},
): OpenLoop {
  const agent = new Agent({ keepAlive: true, maxSockets: connections, maxFreeSockets: connections });
  const samples: Sample[] = [];
  const failures: string[] = [];
  const began = now();
  let sent = 0;
  let open = 0;
  let idle: (() => void) | undefined;
  const send = (due: number): void => {
    open += 1;
    let isOver = false;
    const end = (text?: string, failure?: string): void => {
      if (isOver) return;
      isOver = true;
      if (failure !== undefined) failures.push(failure);
      samples.push({ due, ended: now(), text });
      open -= 1;
      if (open === 0) idle?.();
    };
    const asked = request(
      { host: '127.0.0.1', port, path, agent, headers: { host, ...headers } },
      (response) => {
        let text = '';
        response.on('data', (chunk: Buffer) => (text += String(chunk)));
        response.on('end', () => {
          if (response.statusCode === 200) end(text);
          else end(undefined, `${response.statusCode} ${text}`);
        });
        response.on('error', (error) => end(undefined, String(error)));
      },
    );
    asked.on('error', (error) => end(undefined, String(error)));
    asked.end();
  };
  const timer = setInterval(() => {
    for (const due = Math.floor(((now() - began) / 1_000) * rate); sent < due; sent += 1)
      send(began + (sent / rate) * 1_000);
  }, tick);
  return {
    samples,
    failures,
    async stop() {
      clearInterval(timer);
      if (open > 0) await new Promise<void>((resolve) => (idle = resolve));
      agent.destroy();
    },
  };
}
