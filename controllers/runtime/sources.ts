/**
 * From changes in the store to keys. It says who is woken, never why: a pass reads everything again. A row's own
 * status change wakes nobody of its own kind, or a controller that writes status would wake itself for ever.
 */
import type { Change, Reader, Store } from '../../api/store/store.ts';
import type { Kind } from '../../specs/index.ts';
import type { Log } from './log.ts';
import type { ControllerKind } from './reconciler.ts';
import type { Wake } from './work-queue.ts';

type Ids = readonly string[];

/** A change of one kind wakes keys of another. */
export interface Mapping {
  from: Kind;
  to: ControllerKind;
  /** Which changes; all when absent. */
  by?: readonly Change['by'][];
  /** The keys to wake. May read the store; what it throws is logged, and the resync makes up for it. */
  ids: (change: Change, reader: Reader) => Ids | Promise<Ids>;
}

/** The row that the changed one belongs to. */
export function owner(change: Change): Ids {
  return change.owner === null ? [] : [change.owner];
}

/** The rows of a kind that belong to the changed one. */
export function owned(kind: Kind): Mapping['ids'] {
  return async (change, reader) => (await reader.list(kind, { owner: change.id })).map((row) => row.id);
}

/** Always the same key. */
export function always(id: string): Mapping['ids'] {
  return () => [id];
}

/** The two things that a source may do with a queue. */
interface Target {
  add(key: string, wake?: Wake): void;
  forget(key: string): void;
}

export interface SourceOptions {
  store: Reader & Pick<Store, 'onChange'>;
  mappings: readonly Mapping[];
  targets: ReadonlyMap<ControllerKind | Kind, Target>;
  log: Log;
}

/** Listens to the store. Throws when a mapping can never work. @returns stop listening */
export function storeChanges(options: SourceOptions): () => void {
  const { store, mappings, targets } = options;
  for (const { from, to } of mappings) {
    if (!targets.has(to)) throw new Error(`changes of ${from} are to wake ${to}, which has no controller`);
    if (to === from)
      throw new Error(`changes of ${from} are to wake ${from} itself: its status writes would never end`);
  }
  return store.onChange((change) => {
    const own = targets.get(change.kind);
    if (own) wakeOwn(own, change);
    for (const mapping of mappings) {
      if (mapping.from === change.kind && (mapping.by?.includes(change.by) ?? true))
        wakeMapped(mapping, change, options);
    }
  });
}

function wakeOwn(target: Target, change: Change): void {
  if (change.by === 'purged') target.forget(change.id);
  else if (change.by !== 'status') target.add(change.id, { generation: change.generation });
}

function wakeMapped(mapping: Mapping, change: Change, { store, targets, log }: SourceOptions): void {
  const wake = (ids: Ids) => {
    for (const id of ids) targets.get(mapping.to)?.add(id);
  };
  const failed = (error: unknown) =>
    log.error(
      { err: error, from: mapping.from, to: mapping.to, key: change.id },
      'mapping failed, resync will wake them',
    );
  try {
    const ids = mapping.ids(change, store);
    if (ids instanceof Promise) ids.then(wake).catch(failed);
    else wake(ids);
  } catch (error) {
    failed(error);
  }
}
