/** When the engine did what, by its own clock and events. */
import { request } from 'node:http';

export interface EngineEvent {
  /** `image tag`, `container create`, `container start`, … */
  what: string;
  /** Milliseconds since the epoch. */
  at: number;
  /** Name of the container, or the tag. */
  name: string;
}

export interface EngineEvents {
  /** Everything so far, oldest first. */
  all: readonly EngineEvent[];
  close(): void;
}

interface RawEvent {
  Type: string;
  Action: string;
  timeNano: number;
  Actor: { Attributes: Record<string, string> };
}

/** @param endpoint `unix://…` */
export async function followEngine(endpoint: string): Promise<EngineEvents> {
  const all: EngineEvent[] = [];
  const asked = request({ socketPath: endpoint.replace('unix://', ''), path: '/events', agent: false });
  await new Promise<void>((resolve, reject) => {
    asked.once('error', reject);
    asked.once('response', (response) => {
      let rest = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.trim() !== '') all.push(toEvent(JSON.parse(line) as RawEvent));
      });
      // Its end is ours: closing it breaks it off.
      response.on('error', () => undefined);
      resolve();
    });
    asked.end();
  });
  asked.on('error', () => undefined);
  return { all, close: () => void asked.destroy() };
}

function toEvent({ Type, Action, timeNano, Actor }: RawEvent): EngineEvent {
  return { what: `${Type} ${Action}`, at: timeNano / 1e6, name: Actor.Attributes['name'] ?? '' };
}
