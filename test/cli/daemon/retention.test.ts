import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { setImmediate } from 'node:timers/promises';
import type { OpenStore } from '../../../api/store/open.ts';
import { startRetention, type Retention } from '../../../cli/daemon/retention.ts';
import { timestamp } from '../../../specs/meta.ts';
import { aToken } from '../../support/accounts.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog, type LogLine } from '../../support/recording-log.ts';
import { anId, memoryStore } from '../../support/store.ts';

const hour = 3_600_000;
const day = 24 * hour;

describe('what is kept for a time only', () => {
  let clock: ManualClock;
  let store: OpenStore;
  let log: { lines: LogLine[] };
  let retention: Retention | undefined;
  let sweeps = 0;
  const start = (parts: Partial<OpenStore> = {}): void => {
    const recording = recordingLog();
    log = recording;
    const times = { auditKeepMs: 3 * day, sessionIdleMs: 2 * day };
    const sweep = () => {
      sweeps += 1;
      return Promise.resolve();
    };
    const workloadLogs = { sweep };
    retention = startRetention({
      store: { ...store, ...parts },
      workloadLogs,
      ...times,
      clock,
      log: recording,
    });
  };
  /** One of everything that is kept, made now. */
  const fill = async (n: number): Promise<void> => {
    const at = timestamp(clock.now());
    await store.audit.append({
      ...{ id: anId('audit', n), at, token_kind: null, token_id: null, user_id: null, username: null },
      ...{ address: '192.0.2.1', method: 'POST', route: '/v1/auth/login', project_id: null, object: null },
      ...{ fields: [], status: 401, code: 'unauthenticated', request_id: 'req_1', count: 1 },
      ...{ detail: null, object_name: null },
    });
    await store.idempotency.claim({
      principal: 'usr_1',
      key: `key-${n}`,
      route: 'POST /',
      ...{ digest: '', body_hash: '' },
      at,
    });
    await store.loginFailures.add([`name-${n}`], at);
    const expires_at = timestamp(clock.now() + 90 * day);
    await store.accounts.createToken(aToken(n, { kind: 'session', created_at: at, expires_at }));
  };
  /** How many audit entries, idempotent requests, counts of failed logins and sessions are there. */
  const left = async (): Promise<number[]> => {
    const claims = await Promise.all([1, 2].map((n) => isClaimed(`key-${n}`)));
    const failures = await store.loginFailures.get(['name-1', 'name-2']);
    const sessions = await store.accounts.listTokens(anId('user'), 'session');
    return [(await store.audit.list()).length, claims.filter(Boolean).length, failures.size, sessions.length];
  };
  const isClaimed = async (key: string): Promise<boolean> => {
    const at = timestamp(clock.now());
    const request = { principal: 'usr_1', key, route: 'POST /', digest: '', body_hash: '', at };
    const { state } = await store.idempotency.claim(request);
    if (state === 'new') await store.idempotency.release(request);
    return state === 'running';
  };

  beforeEach(async () => {
    clock = new ManualClock();
    store = await memoryStore([], clock);
  });
  afterEach(async () => {
    await retention?.close();
    await store.close();
  });

  it('goes when its time is over, in the hour after', async () => {
    await fill(1);
    start();
    await clock.advance(day);
    assert.deepEqual(await left(), [1, 1, 1, 1]);
    await clock.advance(hour);
    assert.deepEqual(await left(), [1, 0, 0, 1]);
    await clock.advance(day - hour);
    assert.deepEqual(await left(), [1, 0, 0, 0]);
    await clock.advance(day + hour);
    assert.deepEqual(await left(), [0, 0, 0, 0]);
    assert.deepEqual(
      log.lines.map(({ level, fields }) => [level, fields]),
      [
        ['info', { audit: 0, events: 0, answers: 1, login_failures: 1, sessions: 0 }],
        ['info', { audit: 0, events: 0, answers: 0, login_failures: 0, sessions: 1 }],
        ['info', { audit: 1, events: 0, answers: 0, login_failures: 0, sessions: 0 }],
      ],
    );
  });

  it('goes at the start, when the node was down for long', async () => {
    await fill(1);
    await clock.advance(4 * day);
    await fill(2);
    const before = sweeps;
    start();
    await retention?.close();
    assert.deepEqual(await left(), [1, 1, 1, 1]);
    assert.equal(sweeps, before + 1);
  });

  it('goes an hour later, when dropping it fails', async () => {
    await fill(1);
    await clock.advance(4 * day);
    let fails = true;
    const prune = (before: string) =>
      fails ? Promise.reject(new Error('the disk is full')) : store.audit.prune(before);
    start({ audit: { ...store.audit, prune } });
    await setImmediate();
    assert.match(String(log.lines[0]?.message), /could not be dropped/);
    assert.equal(log.lines[0]?.level, 'warn');
    fails = false;
    await clock.advance(hour);
    assert.deepEqual(await left(), [0, 0, 0, 0]);
  });

  it('is left alone once it is closed', async () => {
    start();
    await retention?.close();
    assert.equal(clock.pending, 0);
    await fill(1);
    await clock.advance(10 * day);
    assert.deepEqual(await left(), [1, 1, 1, 1]);
  });
});
