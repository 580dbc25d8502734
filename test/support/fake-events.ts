/** Events of the fake engine, and who listens to them. */
import type { EngineEvent, Labels } from '../../controllers/engine/engine.ts';
import { carries } from './fake-networks.ts';
import { Feed } from './feed.ts';

export class FakeEvents {
  private readonly listeners = new Set<{ labels: Labels; feed: Feed<EngineEvent> }>();

  /** @returns what comes from now on */
  async *follow(labels: Labels, signal: AbortSignal): AsyncGenerator<EngineEvent, undefined> {
    const listener = { labels, feed: new Feed<EngineEvent>() };
    this.listeners.add(listener);
    signal.addEventListener('abort', () => listener.feed.end(), { once: true });
    if (signal.aborted) listener.feed.end();
    try {
      yield* listener.feed;
    } finally {
      this.listeners.delete(listener);
    }
  }

  ofContainer(container: string, own: Labels, action: string): void {
    for (const { labels, feed } of this.listeners)
      if (carries(own, labels)) feed.push({ action, container, labels: own, network: null });
  }

  ofNetwork(network: string, action: string, container: string | null): void {
    for (const { feed } of this.listeners) feed.push({ action, container, labels: {}, network });
  }

  /** The engine went away. */
  break(error: Error): void {
    for (const { feed } of this.listeners) feed.end(error);
    this.listeners.clear();
  }
}
