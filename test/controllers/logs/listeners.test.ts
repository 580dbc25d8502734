import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { listeners } from '../../../controllers/logs/listeners.ts';

describe('listeners', () => {
  it('calls those of a key, until they unsubscribe, also while calling', () => {
    const all = listeners();
    const called: string[] = [];
    const stops = ['a', 'b'].map((name) =>
      all.add('key', () => {
        called.push(name);
        stops[1]?.();
      }),
    );
    all.add('other', () => called.push('other'));
    all.call('key');
    all.call('key');
    stops[0]?.();
    stops[0]?.();
    all.call('key');
    all.call('nobody');
    assert.deepEqual(called, ['a', 'b', 'a']);
  });
});
