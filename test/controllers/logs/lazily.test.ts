import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lazily } from '../../../controllers/logs/lazily.ts';

describe('lazily', () => {
  it('opens once, for everybody, when it is wanted', async () => {
    let opened = 0;
    const value = lazily(() => Promise.resolve(++opened));
    assert.equal(opened, 0);
    assert.deepEqual(await Promise.all([value(), value()]), [1, 1]);
    assert.equal(await value(), 1);
  });

  it('tries again after a failure', async () => {
    let tries = 0;
    const value = lazily(() => (++tries === 1 ? Promise.reject(new Error('no')) : Promise.resolve('yes')));
    await assert.rejects(value(), /no/);
    assert.equal(await value(), 'yes');
  });
});
