import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NewEvent } from '../../../specs/event.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { anId, aStore } from '../../support/store.ts';

function anEvent(said: Partial<NewEvent> = {}): NewEvent {
  return {
    ...{ project_id: anId('project'), kind: 'Replica', object: anId('replica'), service_id: anId('service') },
    ...{ name: 'web/1', type: 'Warning', reason: 'Exited', message: 'Exited with code 1.', ...said },
  };
}

describe('the events', () => {
  it('are answered newest first, and only those that are asked for', async () => {
    const clock = new ManualClock();
    const store = await aStore({ clock });
    const other = { project_id: anId('project', 2), service_id: null, object: anId('job'), kind: 'Job' };
    for (const event of [anEvent(), anEvent({ reason: 'Ready', type: 'Normal' }), anEvent(other)]) {
      await store.events.append(event);
      await clock.advance(1_000);
    }
    const reasons = async (filter = {}) =>
      (await store.events.list(filter)).map(({ kind, reason }) => [kind, reason]);
    const [job, ready, exited] = [
      ['Job', 'Exited'],
      ['Replica', 'Ready'],
      ['Replica', 'Exited'],
    ];
    assert.deepEqual(await reasons(), [job, ready, exited]);
    assert.deepEqual(await reasons({ project_id: anId('project', 2) }), [job]);
    assert.deepEqual(await reasons({ kind: 'Replica', limit: 1 }), [ready]);
    assert.deepEqual(await reasons({ service_id: anId('service') }), [ready, exited]);
    assert.deepEqual(await reasons({ object: anId('job') }), [job]);
    await store.close();
  });

  it('are counted where they are equal to one of the last two of their object, within ten minutes', async () => {
    const clock = new ManualClock();
    const store = await aStore({ clock });
    await store.events.append(anEvent());
    for (let minute = 0; minute < 3; minute++) {
      await clock.advance(300_000);
      await store.events.append(anEvent());
    }
    const [one, ...none] = await store.events.list();
    assert.deepEqual([one?.count, none.length], [4, 0]);
    assert.equal(Date.parse(one?.last_at ?? '') - Date.parse(one?.at ?? ''), 900_000);
    await clock.advance(600_001);
    await store.events.append(anEvent());
    await store.events.append(anEvent({ message: 'Exited with code 2.' }));
    await store.events.append(anEvent({ object: anId('replica', 2) }));
    assert.deepEqual(
      (await store.events.list()).map(({ count }) => count),
      [1, 1, 1, 4],
    );
    await store.close();
  });

  it('are counted in turn, so that a crash loop stays two lines', async () => {
    const clock = new ManualClock();
    const store = await aStore({ clock });
    for (let second = 0; second < 3; second++) {
      await store.events.append(anEvent());
      await clock.advance(1_000);
      await store.events.append(anEvent({ reason: 'Ready', type: 'Normal', message: 'It answers again.' }));
    }
    assert.deepEqual(
      (await store.events.list()).map(({ reason, count }) => [reason, count]),
      [
        ['Ready', 3],
        ['Exited', 3],
      ],
    );
    await store.close();
  });

  it('go when they are too old, or too many', async () => {
    const clock = new ManualClock();
    const store = await aStore({ clock });
    for (let n = 1; n <= 5; n++) {
      await store.events.append(anEvent({ message: String(n) }));
      await clock.advance(1_000);
    }
    const [, , , second] = await store.events.list();
    assert.equal(await store.events.prune(second?.last_at ?? '', 100), 1);
    assert.equal(await store.events.prune(second?.last_at ?? '', 2), 2);
    assert.deepEqual(
      (await store.events.list()).map(({ message }) => message),
      ['5', '4'],
    );
    await store.close();
  });
});
