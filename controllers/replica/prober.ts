/**
 * Asks starting workloads for their health through their own socket, in the background, and remembers the answers: a
 * pass reads them and never waits. Once the gate is passed the asking stops until the workload is started again.
 */
import type { Clock } from '../../specs/clock.ts';
import { durationMs } from '../../specs/duration.ts';
import type { Health } from '../../specs/workload.ts';
import type { Upstream } from '../../ingress/index.ts';

export interface ProbeAnswer {
  ok: boolean;
  /** For people: `200 in 12 ms`, `503: "database is down"`, `nothing listens on port 8080 yet`. */
  words: string;
}

/** One question. Never rejects: a failure is an answer. What it quotes of the workload has gone through the mask. */
export type Ask = (
  target: Pick<ProbeTarget, 'upstream' | 'health' | 'mask'>,
  signal: AbortSignal,
) => Promise<ProbeAnswer>;

export interface ProbeResult {
  passed: boolean;
  words: string;
}

export interface ProbeTarget {
  upstream: Upstream;
  health: Health;
  /** Start of the run that is asked: another start is another question. */
  startedAt: string;
  /** Hides secrets in a text. */
  mask: (text: string) => string;
}

export interface Prober {
  /** Starts asking; does nothing while this run is being asked or has passed. */
  ensure(replicaId: string, target: ProbeTarget): void;
  result(replicaId: string, startedAt: string): ProbeResult | undefined;
  drop(replicaId: string): void;
  close(): void;
}

/** The first pauses are short, so that a quick start is noticed quickly; then `health.interval`. Milliseconds. */
const eagerMs = 15;

interface Round {
  target: ProbeTarget;
  abort: AbortController;
  successes: number;
  asked: number;
  result: ProbeResult | undefined;
  cancelTimer: () => void;
}

/** @param onAnswer called when the result of a replica changed */
export function createProber(deps: {
  ask: Ask;
  clock: Clock;
  onAnswer: (replicaId: string) => void;
}): Prober {
  const rounds = new Map<string, Round>();

  const drop = (id: string): void => {
    const round = rounds.get(id);
    round?.cancelTimer();
    round?.abort.abort();
    rounds.delete(id);
  };

  const next = async (id: string, round: Round): Promise<void> => {
    const { target } = round;
    const answer = await deps.ask(target, round.abort.signal);
    if (rounds.get(id) !== round) return;
    round.asked += 1;
    round.successes = answer.ok ? round.successes + 1 : 0;
    const result = { passed: round.successes >= target.health.successes, words: answer.words };
    const changed = result.passed !== round.result?.passed || result.words !== round.result.words;
    round.result = result;
    if (!result.passed) {
      const pause = Math.min(eagerMs * 1.3 ** round.asked, durationMs(target.health.interval));
      round.cancelTimer = deps.clock.after(pause, () => void next(id, round));
    }
    if (changed) deps.onAnswer(id);
  };

  return {
    ensure(id, target) {
      if (rounds.get(id)?.target.startedAt === target.startedAt) return;
      drop(id);
      const round: Round = {
        target,
        abort: new AbortController(),
        successes: 0,
        asked: 0,
        result: undefined,
        cancelTimer: () => undefined,
      };
      rounds.set(id, round);
      void next(id, round);
    },
    result: (id, startedAt) => {
      const round = rounds.get(id);
      return round?.target.startedAt === startedAt ? round.result : undefined;
    },
    drop,
    close: () => [...rounds.keys()].forEach(drop),
  };
}
