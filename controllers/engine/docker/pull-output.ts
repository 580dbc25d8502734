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

/**
 * What follows for a layer: it waits until the engine, which downloads three at a time whoever wants them, has a place for it; it is
 * to come from the registry; it is here, and waits to be unpacked; it is done.
 */
type LayerState = 'queued' | 'coming' | 'here' | 'done';

const states: Readonly<Record<string, LayerState>> = {
  Waiting: 'queued',
  Downloading: 'coming',
  'Download complete': 'here',
  Extracting: 'here',
  'Pull complete': 'done',
  'Already exists': 'done',
};

/** Whose turn it is: who is silent when nothing is reported. */
export type PullPhase = 'registry' | 'queue' | 'unpacking';

interface Layer {
  said: Set<string>;
  state: LayerState;
  current: number;
  total: number;
}

export class PullOutput {
  private readonly clock: Clock;
  private readonly onLine: (line: string) => void;
  private readonly layers = new Map<string, Layer>();
  private saidAt: number;
  /** Whether a layer broke off, so that the engine asked for it again. */
  hasBroken = false;

  constructor(clock: Clock, onLine: (line: string) => void) {
    this.clock = clock;
    this.onLine = onLine;
    this.saidAt = clock.now();
  }

  get phase(): PullPhase {
    const all = new Set([...this.layers.values()].map(({ state }) => state));
    if (all.has('coming')) return 'registry';
    if (all.has('queued')) return 'queue';
    // Without layers, or with all of them, it is the manifest or the configuration that is missing.
    return all.has('here') ? 'unpacking' : 'registry';
  }

  read({ id, status, progressDetail }: ProgressEvent): void {
    // What is not of a layer says what is pulled, and that it was: the caller knows better.
    if (typeof id !== 'string' || typeof status !== 'string' || !/^[0-9a-f]{12,64}$/.test(id)) return;
    const layer = this.layers.get(id) ?? { said: new Set(), state: 'coming', current: 0, total: 0 };
    this.layers.set(id, layer);
    if (status === 'Downloading') this.download(id, layer, progressDetail);
    if (status === 'Download complete') layer.current = layer.total;
    this.move(layer, states[status]);
    const retry = /^Retrying in \d+ seconds?$/.test(status);
    this.hasBroken ||= retry;
    const word = retry ? 'broke off, and is tried again' : words[status];
    if (word !== undefined && !layer.said.has(word)) this.say(id, layer, word);
    // It counts the seconds down; the next time it breaks off is worth a line again.
    if (!retry) layer.said.delete('broke off, and is tried again');
  }

  private move(layer: Layer, state: LayerState | undefined): void {
    // Its place is for the next one, which the engine does not report before its first bytes.
    const next = [...this.layers.values()].find((other) => other.state === 'queued' && other !== layer);
    if (layer.state === 'coming' && state === 'here' && next) next.state = 'coming';
    layer.state = state ?? layer.state;
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
