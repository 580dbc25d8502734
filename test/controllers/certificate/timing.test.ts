import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { choose, pauseAfter, renewalOf } from '../../../controllers/certificate/timing.ts';

const minute = 60_000;
const day = 24 * 60 * minute;

describe('the pause after a failure', () => {
  it('grows, and ends at a day', () => {
    const minutes = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 1000].map(
      (failures) => pauseAfter(failures, 0) / minute,
    );
    assert.deepEqual(minutes, [1, 5, 15, 30, 60, 120, 180, 360, 720, 1440, 1440, 1440]);
  });

  it("leaves room for no more than the five failures an hour that Let's Encrypt allows", () => {
    let at = 0;
    const orders = [0];
    for (let failures = 1; failures < 10; failures += 1) orders.push((at += pauseAfter(failures, 0)));
    assert.equal(orders.filter((time) => time < 60 * minute).length, 5);
  });

  it('is longer by up to a quarter', () => {
    assert.equal(pauseAfter(5, 1), 75 * minute);
  });
});

describe('the renewal', () => {
  it('comes after two thirds of a life, of whatever length', () => {
    for (const days of [90, 64, 45]) assert.equal(renewalOf(0, days * day, 0), (days * day * 2) / 3);
  });

  it('comes after half of a short life', () => {
    assert.equal(renewalOf(0, 160 * 60 * minute, 0), 80 * 60 * minute);
  });

  it('is spread, and never near the end', () => {
    assert.ok(renewalOf(0, 90 * day, 0.5) > renewalOf(0, 90 * day, 0));
    assert.ok(renewalOf(0, 90 * day, 1) < 63 * day);
  });
});

describe('the authority that is asked', () => {
  const [one, two] = ['https://one.test/dir', 'https://two.test/dir'];
  const until = (ms: number): string => new Date(ms).toISOString();

  it('is the first one, and after a failure the next', () => {
    const asked = [0, 1, 2, 3].map((failures) => choose([one, two], failures, {}, 0).directory);
    assert.deepEqual(asked, [one, two, one, two]);
    assert.equal(choose([one], 7, {}, 0).directory, one);
  });

  it('is another one while it wants to be left alone', () => {
    assert.deepEqual(choose([one, two], 0, { [one]: until(500) }, 100), { directory: two, free: 0 });
    assert.deepEqual(choose([one, two], 0, { [one]: until(500) }, 500), { directory: one, free: 500 });
  });

  it('is the one that is free first when all want to be left alone', () => {
    const held = { [one]: until(900), [two]: until(500) };
    assert.deepEqual(choose([one, two], 0, held, 100), { directory: two, free: 500 });
  });
});
