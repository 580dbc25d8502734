/**
 * One controller at work: takes a key from its queue, fences the pass, and turns how it ended into a delay, a retry,
 * a metric and a log line. It knows no kind in particular.
 */
import type { Clock, Random } from '../../specs/clock.ts';
import { fenced, type Outcome } from './fence.ts';
import type { Log } from './log.ts';
import type { KindMetrics, PassResult } from './metrics.ts';
import type { ControllerSpec, Result } from './reconciler.ts';
import { WorkQueue, type Verdict } from './work-queue.ts';

export interface ControllerDeps {
  clock: Clock;
  random: Random;
  log: Log;
  metrics: KindMetrics;
  /** The generation of a row now; undefined when there is no such row. Asked only after a failure. */
  generationOf: (id: string) => Promise<number | undefined>;
  /** Milliseconds that running passes have to end by themselves when the node stops. */
  patience: number;
}

/** The queue of a controller, ready to take keys. */
export function createController(spec: ControllerSpec, deps: ControllerDeps): WorkQueue {
  const { clock, random, metrics } = deps;
  const queue = new WorkQueue({
    concurrency: spec.concurrency,
    clock,
    random,
    work: (id, signal) => runOne(spec, deps, id, signal),
    observer: {
      added: () => metrics.added(),
      waited: (ms) => metrics.waited(ms),
      retried(key, { error, failures, delay }) {
        metrics.retried();
        deps.log.warn(
          { kind: spec.kind, key, err: error, failures, delay },
          'pass failed, will be tried again',
        );
      },
    },
  });
  metrics.readDepth(() => queue.depth);
  return queue;
}

/** What a pass itself came to. An error is kept beside the generation it happened at, for the backoff. */
type Ending = { result: Result | undefined } | { error: unknown; generation: number | undefined };

async function runOne(
  spec: ControllerSpec,
  deps: ControllerDeps,
  id: string,
  signal: AbortSignal,
): Promise<Verdict> {
  const { clock, metrics, patience } = deps;
  const started = clock.now();
  const { deadline, grace = deadline } = spec;
  const outcome = await fenced((inner) => pass(spec, deps, id, inner), {
    clock,
    deadline,
    grace,
    patience,
    signal,
  });
  const verdict = judge(outcome);
  metrics.passed(signal.aborted ? 'aborted' : named(verdict), Math.max(0, clock.now() - started));
  return verdict;
}

async function pass(
  spec: ControllerSpec,
  deps: ControllerDeps,
  id: string,
  signal: AbortSignal,
): Promise<Ending> {
  try {
    const result = await spec.reconcile(id, { signal });
    const after = result?.requeueAfter;
    if (after !== undefined && !Number.isFinite(after)) {
      throw new RangeError(`the pass asked to be woken in ${after} ms: give a finite number of milliseconds`);
    }
    return { result };
  } catch (error) {
    return { error, generation: await generationOf(spec, deps, id) };
  }
}

/** A row that cannot be read now is no reason to lose the error of the pass. */
async function generationOf(
  spec: ControllerSpec,
  deps: ControllerDeps,
  id: string,
): Promise<number | undefined> {
  try {
    return await deps.generationOf(id);
  } catch (error) {
    deps.log.warn({ kind: spec.kind, key: id, err: error }, 'generation not readable, backing off as before');
    return undefined;
  }
}

function judge(outcome: Outcome<Ending>): Verdict {
  if (outcome.how === 'abandoned') return { result: 'abandoned', error: outcome.error, ended: outcome.ended };
  if (outcome.how === 'failed') return { result: 'failed', error: outcome.error };
  if ('error' in outcome.value) return { result: 'failed', ...outcome.value };
  const after = outcome.value.result?.requeueAfter;
  return after === undefined ? { result: 'done' } : { result: 'done', after };
}

function named(verdict: Verdict): PassResult {
  if (verdict.result === 'failed') return 'error';
  if (verdict.result === 'abandoned') return 'abandoned';
  return verdict.after === undefined ? 'success' : 'requeue';
}
