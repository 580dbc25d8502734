import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commandReference, writeReference, writtenReference } from '../support/command-reference.ts';

describe('the command reference in cli/README.md', () => {
  it('is what the commands say of themselves (UPDATE_README=1 with this test writes it)', async () => {
    if (process.env['UPDATE_README'] === '1') await writeReference();
    assert.equal(await writtenReference(), await commandReference());
  });
});
