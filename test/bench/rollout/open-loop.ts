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
  /** Waits for the answers that are still to come. */
  stop(): Promise<void>;
}

/** Milliseconds between two looks at what is due. */
const tick = 5;

/** @param rate requests per second */
export function openLoop(port: number, host: string, rate: number): OpenLoop {
  const agent = new Agent({ keepAlive: true, maxSockets: 256 });
  const samples: Sample[] = [];
  const began = now();
  let sent = 0;
  let open = 0;
  let idle: (() => void) | undefined;
  const send = (due: number): void => {
    open += 1;
    let isOver = false;
    const end = (text?: string): void => {
      if (isOver) return;
      isOver = true;
      samples.push({ due, ended: now(), text });
      open -= 1;
      if (open === 0) idle?.();
    };
    const asked = request({ host: '127.0.0.1', port, agent, headers: { host } }, (response) => {
      let text = '';
      response.on('data', (chunk: Buffer) => (text += String(chunk)));
      response.on('end', () => end(response.statusCode === 200 ? text : undefined));
      response.on('error', () => end());
    });
    asked.on('error', () => end());
    asked.end();
  };
  const timer = setInterval(() => {
    for (const due = Math.floor(((now() - began) / 1_000) * rate); sent < due; sent += 1)
      send(began + (sent / rate) * 1_000);
  }, tick);
  return {
    samples,
    async stop() {
      clearInterval(timer);
      if (open > 0) await new Promise<void>((resolve) => (idle = resolve));
      agent.destroy();
    },
  };
}
