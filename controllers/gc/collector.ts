/**
 * Collects garbage, one pass at a time. By itself it takes only what it has seen unneeded for a while; while a disk is below
 * its floor whatever it has seen before, the last pass included; on request all that nothing needs. Nothing is taken on the
 * first look of a control plane, so that a store that was opened by mistake gives people time to notice.
 */
import type { Disk, GarbageItem, GarbageReport } from '../../specs/gc.ts';
import { formatBytes } from '../../specs/bytes.ts';
import type { Clock } from '../../specs/clock.ts';
import type { EventRecorder } from '../../specs/event.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import type { EngineUsage } from '../engine/usage.ts';
import type { Log } from '../runtime/log.ts';
import { lowestDisk } from './disks.ts';
import type { Files } from './files.ts';
import { observe, type ObserveDeps } from './observe.ts';
import { recordCollection } from './record.ts';
import { plan, toItem, type Garbage, type Rules } from './plan.ts';
import { apply, type StepDeps } from './steps.ts';

export interface CollectorDeps
  extends
    Omit<ObserveDeps, 'store' | 'engine' | 'files' | 'tagNotes'>,
    Omit<StepDeps, 'store' | 'engine' | 'tagNotes'> {
  store: ObserveDeps['store'] & StepDeps['store'];
  engine: ObserveDeps['engine'] & StepDeps['engine'] & Pick<Engine, 'diskUsage'>;
  files: Files;
  tagNotes: ObserveDeps['tagNotes'] & StepDeps['tagNotes'];
  events: EventRecorder;
  isPrivateEngine: boolean;
  disks: () => Promise<Disk[]>;
  /** Milliseconds that something is left where it is although nothing needs it. */
  ageMs: number;
  clock: Clock;
  log: Log;
}

export interface Collector {
  /** A pass of its own accord. */
  routine(signal: AbortSignal): Promise<void>;
  /** Takes all that nothing needs, or says what that is. Rejects with an EngineError. */
  onRequest(dryRun: boolean): Promise<GarbageReport>;
  /** Bytes that a request would free, as the last pass found; undefined before the first. */
  wouldFree(): number | undefined;
}

/** Milliseconds for which the engine's figures are good enough: reckoning them takes it long. */
const usageKeep = 3_600_000;
/** Milliseconds in which a request ends, whatever is left: somebody waits for the answer. */
const patience = 60_000;
/** Milliseconds that the build cache may be unused while a disk is below its floor, or on request. */
const eagerCacheAge = 10 * 60_000;

export function createCollector(deps: CollectorDeps): Collector {
  const { clock } = deps;
  /** When each was first seen unneeded. */
  let seen = new Map<string, number>();
  let usage: { at: number; figures: EngineUsage } | undefined;
  let last: number | undefined;
  const inTurn = turns();

  async function find(cacheAgeMs: number, maxUsageAge: number): Promise<Garbage[]> {
    const now = clock.now();
    if (!usage || now - usage.at > maxUsageAge) usage = { at: now, figures: await figuresOf(deps) };
    const { nodeId, isPrivateEngine } = deps;
    const rules: Rules = { nodeId, isPrivateEngine, cacheAgeMs, now };
    const observed = await observe(usage.figures, deps);
    const found = await weigh(plan(observed, rules), deps.files);
    for (const tag of observed.oldNotes) await deps.tagNotes.forget(tag);
    seen = new Map(found.map((each) => [keyOf(each), seen.get(keyOf(each)) ?? now]));
    last = total(found.filter(({ step }) => step !== undefined));
    return found;
  }

  const take = async (garbage: readonly Garbage[], isOver: () => boolean): Promise<GarbageItem[]> => {
    const items = await remove(garbage, deps, isOver);
    const freed = total(items.filter(({ removed }) => removed));
    // What was pruned is no longer there to be reckoned.
    if (items.some(({ removed }) => removed)) usage = undefined;
    last = Math.max(0, (last ?? 0) - freed);
    return items;
  };

  return {
    routine: (signal) =>
      inTurn(async () => {
        signal.throwIfAborted();
        const low = lowestDisk(await deps.disks());
        const before = new Map(seen);
        const found = await find(low ? eagerCacheAge : deps.ageMs, usageKeep);
        const age = low ? 0 : deps.ageMs;
        const due = found.filter((each) => {
          const since = before.get(keyOf(each));
          return each.step !== undefined && since !== undefined && clock.now() - since >= age;
        });
        if (due.length === 0) return;
        const items = await take(due, () => signal.aborted);
        const freed = formatBytes(total(items.filter(({ removed }) => removed)));
        const why = low ? 'a disk is below its floor' : 'nothing needed it for a while';
        recordCollection(items, why, deps);
        deps.log.info(
          { freed, why, items: items.filter(({ removed }) => removed).length },
          'garbage was collected',
        );
      }),
    onRequest: (dryRun) =>
      inTurn(async () => {
        const found = await find(eagerCacheAge, 0);
        const end = clock.now() + patience;
        const items = dryRun ? found.map(toItem) : await take(found, () => clock.now() >= end);
        recordCollection(items, 'somebody asked for it', deps);
        const wouldFree = total(found.filter(({ step }) => step !== undefined));
        const freed = total(items.filter(({ removed }) => removed));
        return { dry_run: dryRun, items, bytes_would_free: wouldFree, bytes_freed: freed };
      }),
    wouldFree: () => last,
  };
}

/** Without them all that is said of bytes is that nobody knows; what goes is the same. */
async function figuresOf({ engine, log }: CollectorDeps): Promise<EngineUsage> {
  try {
    return await engine.diskUsage();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    log.warn({ err: error }, 'the engine does not say what its things take on the disk');
    return { images: new Map(), volumes: new Map(), buildCache: [] };
  }
}

function keyOf({ kind, name }: Garbage): string {
  // The cache has no name that lasts; its records have an age of their own.
  return kind === 'build-cache' ? kind : `${kind} ${name}`;
}

/** One at a time, in the order of asking. */
function turns(): <T>(work: () => Promise<T>) => Promise<T> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const next = last.then(work, work);
    last = next.catch(() => undefined);
    return next;
  };
}

function total(all: readonly { bytes: number | null }[]): number {
  return all.reduce((sum, { bytes }) => sum + (bytes ?? 0), 0);
}

async function weigh(all: readonly Garbage[], files: Files): Promise<Garbage[]> {
  const weighed: Garbage[] = [];
  for (const each of all)
    weighed.push(each.path === undefined ? each : { ...each, bytes: await files.bytesOf(each.path) });
  return weighed;
}

/** One after the other: what it takes from the disk must not slow what serves. */
async function remove(
  all: readonly Garbage[],
  deps: CollectorDeps,
  isOver: () => boolean,
): Promise<GarbageItem[]> {
  const items: GarbageItem[] = [];
  for (const each of all) {
    const { step } = each;
    const item = toItem(each);
    if (step === undefined) items.push(item);
    else if (isOver()) items.push({ ...item, error: 'There was no time left for it: collect again.' });
    else items.push(await removeOne(item, step, deps));
  }
  return items;
}

async function removeOne(
  item: GarbageItem,
  step: NonNullable<Garbage['step']>,
  deps: CollectorDeps,
): Promise<GarbageItem> {
  const { kind, name, bytes } = item;
  try {
    const done = await apply(step, deps);
    if (done === false) return { ...item, error: 'Something needs it again.' };
    const freed = typeof done === 'number' ? done : bytes;
    deps.log.info({ kind, name, bytes: freed, reason: item.reason }, 'removed what nothing needs');
    return { ...item, bytes: freed, removed: true };
  } catch (error) {
    // What is still in use goes another time, and keeps nothing else from going.
    if (!(error instanceof EngineError)) throw error;
    deps.log.debug({ err: error, kind, name }, 'nothing refers to it any more, but it cannot be removed yet');
    return { ...item, error: error.message };
  }
}
