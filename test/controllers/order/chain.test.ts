import assert from 'node:assert/strict';
import { it } from 'node:test';
import { validityOf } from '../../../controllers/order/chain.ts';
import { makePair } from '../../support/certificates.ts';

it('a chain is taken with its time, if it is what was asked for', async () => {
  const [web, other] = await Promise.all([makePair('web.test'), makePair('other.test')]);
  const { not_before, not_after } = validityOf(web.chain, 'web.test', web.key);
  assert.ok(Date.parse(not_after) - Date.parse(not_before) >= 24 * 3_600_000);
  assert.throws(() => validityOf(web.chain, 'web.test', other.key), /of another key/);
  assert.throws(() => validityOf(web.chain, 'other.test', web.key), /for another hostname/);
  assert.throws(() => validityOf('<html>', 'web.test', web.key), /no certificate/);
});
