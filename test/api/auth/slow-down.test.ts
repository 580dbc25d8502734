import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { blockOf, createSlowDown } from '../../../api/auth/slow-down.ts';
import { ProblemError } from '../../../specs/problem.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { aStore } from '../../support/store.ts';

const guess = { username: 'ann', address: '192.0.2.1' };
const nodeKey = randomBytes(32);

async function slowDown(t: TestContext, file = ':memory:', clock = new ManualClock()) {
  const store = await aStore({ file, clock });
  t.after(() => store.close());
  const { attempt } = createSlowDown({ failures: store.loginFailures, clock, key: () => nodeKey });
  let checks = 0;
  /** Seconds to wait, or whether the password was right. */
  const outcome = async (given: Partial<typeof guess> = {}, right = false) => {
    try {
      return await attempt({ ...guess, ...given }, () => {
        checks += 1;
        return Promise.resolve(right);
      });
    } catch (error) {
      assert.ok(error instanceof ProblemError && error.code === 'rate_limited');
      return error.retryAfter;
    }
  };
  const failures = async (count: number, given: Partial<typeof guess> = {}) => {
    for (let left = count; left > 0; left -= 1) {
      for (let wait = await outcome(given); typeof wait === 'number'; wait = await outcome(given))
        await clock.advance(wait * 1_000);
    }
  };
  return { store, clock, attempt, outcome, failures, checks: () => checks };
}

describe('the slow-down', () => {
  it('lets five wrong passwords pass, then doubles the wait up to a minute', async (t) => {
    const { clock, outcome } = await slowDown(t);
    const waits: unknown[] = [];
    for (let tries = 0; tries < 14; tries += 1) {
      // Each from elsewhere: it is the name that slows down.
      const wait = await outcome({ address: `192.0.2.${tries}` });
      if (typeof wait !== 'number') continue;
      waits.push(wait);
      await clock.advance(wait * 1_000);
      assert.equal(await outcome({ address: `192.0.2.${tries}` }), false);
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60, 60]);
  });

  it('checks nothing while one has to wait, and the wait does not grow by asking', async (t) => {
    const { clock, outcome, failures, checks } = await slowDown(t);
    await failures(6);
    const before = checks();
    assert.deepEqual([await outcome(), await outcome({}, true), await outcome()], [2, 2, 2]);
    await clock.advance(1_500);
    assert.equal(await outcome(), 0.5);
    assert.equal(checks(), before);
  });

  it('treats a name that nobody has like any other', async (t) => {
    const { outcome, failures } = await slowDown(t);
    await failures(5, { username: 'nobody!', address: '192.0.2.9' });
    assert.equal(await outcome({ username: 'nobody!', address: '192.0.2.8' }), 1);
    assert.equal(await outcome(), false);
  });

  it('forgives the name after the right password, but not the address', async (t) => {
    const { clock, outcome, failures } = await slowDown(t);
    await failures(6);
    await clock.advance(60_000);
    assert.equal(await outcome({}, true), true);
    for (let tries = 0; tries < 5; tries += 1) assert.equal(await outcome({ address: '192.0.2.2' }), false);
    for (let tries = 0; tries < 14; tries += 1) await outcome({ username: `user${tries}` });
    assert.equal(await outcome({ username: 'somebody' }), 1);
  });

  it('slows an address down whatever the names, up to a quarter of an hour', async (t) => {
    const { clock, outcome } = await slowDown(t);
    const waits: unknown[] = [];
    for (let tries = 0; tries < 33; tries += 1) {
      const wait = await outcome({ username: `user${tries}` });
      if (typeof wait !== 'number') continue;
      waits.push(wait);
      await clock.advance(wait * 1_000);
      await outcome({ username: `user${tries}` });
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 900, 900, 900]);
    assert.equal(await outcome({ address: '192.0.2.2' }), false, 'another address');
  });

  it('takes a network of IPv6 for one address', async (t) => {
    const { outcome } = await slowDown(t);
    for (let tries = 0; tries < 20; tries += 1)
      await outcome({ username: `user${tries}`, address: `2001:db8:0:7::${tries}` });
    assert.equal(await outcome({ username: 'x', address: '2001:db8::7:ffff:0:0:1' }), 1);
    assert.equal(await outcome({ username: 'x', address: '2001:db8:0:8::1' }), false);
  });

  it('counts what is under way, so that many at once are no way around it', async (t) => {
    const { attempt } = await slowDown(t);
    const ends: (() => void)[] = [];
    const check = () => new Promise<boolean>((resolve) => ends.push(() => resolve(false)));
    const all = Array.from({ length: 40 }, () => attempt(guess, check).catch((error: unknown) => error));
    const refused = await Promise.all(all.slice(5));
    assert.ok(refused.every((error) => error instanceof ProblemError && error.code === 'rate_limited'));
    assert.equal(ends.length, 5);
    for (const end of ends) end();
    assert.deepEqual(await Promise.all(all.slice(0, 5)), [false, false, false, false, false]);
  });

  it('survives a restart', async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-slow-'));
    t.after(() => rm(dir, { recursive: true, force: true }));
    const [file, clock] = [join(dir, 'svc.db'), new ManualClock()];
    const before = await slowDown(t, file, clock);
    await before.failures(8);
    await before.store.close();
    const after = await slowDown(t, file, clock);
    assert.equal(await after.outcome(), 8);
    assert.equal(after.checks(), 0);
  });

  it('forgets after a day without a failure', async (t) => {
    const { clock, outcome, failures } = await slowDown(t);
    await failures(8);
    await clock.advance(86_400_000);
    for (let tries = 0; tries < 5; tries += 1) assert.equal(await outcome(), false);
    assert.equal(await outcome(), 1);
  });

  it('lets nobody wait longer because the clock went back', async (t) => {
    const dir = await mkdtemp(join(tmpdir(), 'svc-slow-'));
    t.after(() => rm(dir, { recursive: true, force: true }));
    const file = join(dir, 'svc.db');
    const before = await slowDown(t, file, new ManualClock(Date.UTC(2030, 0, 2)));
    await before.failures(6);
    await before.store.close();
    const after = await slowDown(t, file, new ManualClock(Date.UTC(2030, 0, 1)));
    assert.equal(await after.outcome(), 2);
  });

  it('keeps no name that can be read', async (t) => {
    const { store, outcome } = await slowDown(t);
    const add = t.mock.method(store.loginFailures, 'add');
    await outcome({ username: 'my password by mistake' });
    const kept = JSON.stringify(add.mock.calls.map((call) => call.arguments));
    assert.ok(kept.length > 10 && !kept.includes('mistake') && !kept.includes('192.0.2.1'));
  });
});

describe('the block of an address', () => {
  for (const [address, block] of [
    ['192.0.2.1', '192.0.2.1'],
    ['2001:db8::1', '2001:db8:0:0::/64'],
    ['2001:0DB8:0000:0000:1::', '2001:db8:0:0::/64'],
    ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
    ['::1', '0:0:0:0::/64'],
    ['::', '0:0:0:0::/64'],
    ['64:ff9b::192.0.2.1', '64:ff9b:0:0::/64'],
    ['fe80::', 'fe80:0:0:0::/64'],
    ['unknown', 'unknown'],
  ] as const)
    it(`of ${address} is ${block}`, () => assert.equal(blockOf(address), block));
});
