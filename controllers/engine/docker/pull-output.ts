/**
 * Makes log lines of the progress of a pull: what becomes of each layer, once, and how far all of them are now and then.
 * Engines report every percent of every layer.
 */
import type { Clock } from '../../../specs/clock.ts';
import { formatBytes } from '../../../specs/bytes.ts';
import type { ProgressEvent } from '../progress.ts';

/** Milliseconds between two lines that say how far it is. */
const pause = 10_000;

/** What engines call the states of a layer → what is said of it, the first time. */
const words: Readonly<Record<string, string>> = {
  'Already exists': 'is there already',
  Extracting: 'is unpacked',
  'Pull complete': 'done',
};

interface Layer {
  said: Set<string>;
  current: number;
  total: number;
}

export class PullOutput {
  private readonly clock: Clock;
  private readonly onLine: (line: string) => void;
  private readonly layers = new Map<string, Layer>();
  private saidAt: number;

  constructor(clock: Clock, onLine: (line: string) => void) {
    this.clock = clock;
    this.onLine = onLine;
    this.saidAt = clock.now();
  }

  read({ id, status, progressDetail }: ProgressEvent): void {
    // What is not of a layer says what is pulled, and that it was: the caller knows better.
    if (typeof id !== 'string' || typeof status !== 'string' || !/^[0-9a-f]{12,64}$/.test(id)) return;
    const layer = this.layers.get(id) ?? { said: new Set(), current: 0, total: 0 };
    this.layers.set(id, layer);
    if (status === 'Downloading') this.download(id, layer, progressDetail);
    if (status === 'Download complete') layer.current = layer.total;
    const retry = /^Retrying in \d+ seconds?$/.test(status);
    const word = retry ? 'broke off, and is tried again' : words[status];
    if (word !== undefined && !layer.said.has(word)) this.say(id, layer, word);
    // It counts the seconds down; the next time it breaks off is worth a line again.
    if (!retry) layer.said.delete('broke off, and is tried again');
  }

  private download(id: string, layer: Layer, detail: unknown): void {
    const { current, total } = (detail ?? {}) as { current?: unknown; total?: unknown };
    if (typeof current === 'number') layer.current = current;
    if (typeof total === 'number' && total > 0) layer.total = total;
    if (layer.total > 0 && !layer.said.has('size')) {
      layer.said.add('size');
      this.say(id, layer, `${formatBytes(layer.total)} to download`);
    }
    if (this.clock.now() - this.saidAt < pause) return;
    this.saidAt = this.clock.now();
    const all = [...this.layers.values()];
    const sum = (of: 'current' | 'total') => formatBytes(all.reduce((bytes, each) => bytes + each[of], 0));
    this.onLine(`${sum('current')} of ${sum('total')} so far`);
  }

  private say(id: string, layer: Layer, word: string): void {
    layer.said.add(word);
    this.onLine(`${id.slice(0, 12)}: ${word}`);
  }
}
