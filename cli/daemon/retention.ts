/** Drops what is kept for a time only: audit entries, idempotent answers, counts of failed logins, sessions, workloads' lines. */
import type { OpenStore } from '../../api/store/open.ts';
import type { WorkloadLogs } from '../../controllers/logs/workload-logs.ts';
import type { Log } from '../../controllers/runtime/log.ts';
import type { Clock } from '../../specs/clock.ts';
import { timestamp } from '../../specs/meta.ts';

export interface RetentionDeps {
  store: Pick<OpenStore, 'accounts' | 'audit' | 'events' | 'idempotency' | 'loginFailures'>;
  workloadLogs: Pick<WorkloadLogs, 'sweep'>;
  /** Milliseconds. */
  auditKeepMs: number;
  sessionIdleMs: number;
  clock: Clock;
  log: Pick<Log, 'info' | 'warn'>;
}

export interface Retention {
  /** Waits for the pass that is under way. */
  close(): Promise<void>;
}

/** Milliseconds between two passes. */
const interval = 3_600_000;
/** How long an Idempotency-Key and the failures of a login are remembered, in milliseconds. */
const day = 86_400_000;
/** Events are for what is going on; the audit is for later. */
const eventsKeep = { ms: 7 * day, rows: 20_000 } as const;

/** Begins with a pass now. One that fails is logged, and the next tries again. */
export function startRetention(deps: RetentionDeps): Retention {
  const { clock, log } = deps;
  let closed = false;
  let cancel = (): void => undefined;
  let pass = Promise.resolve();

  const run = (): void => {
    pass = prune(deps)
      .catch((err: unknown) =>
        log.warn({ err }, 'what is too old could not be dropped; it is tried again in an hour'),
      )
      .then(() => {
        if (!closed) cancel = clock.after(interval, run);
      });
  };
  run();
  return {
    async close() {
      closed = true;
      cancel();
      await pass;
    },
  };
}

async function prune(deps: RetentionDeps): Promise<void> {
  const { store, auditKeepMs, sessionIdleMs, clock, log } = deps;
  const now = clock.now();
  const before = (ms: number): string => timestamp(now - ms);
  const dropped = {
    audit: await store.audit.prune(before(auditKeepMs)),
    events: await store.events.prune(before(eventsKeep.ms), eventsKeep.rows),
    answers: await store.idempotency.prune(before(day)),
    login_failures: await store.loginFailures.prune(before(day)),
    sessions: await store.accounts.deleteExpiredSessions(timestamp(now), before(sessionIdleMs)),
  };
  if (Object.values(dropped).some((count) => count > 0)) log.info(dropped, 'what was too old was dropped');
  await deps.workloadLogs.sweep();
}
