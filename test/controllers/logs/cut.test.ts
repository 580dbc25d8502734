import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { cutLine, longestLine } from '../../../controllers/logs/cut.ts';

describe('cutLine', () => {
  it('keeps what fits as it is', () => {
    for (const line of ['', 'a\u001b[0m\u0000', 'x'.repeat(longestLine), 'é'.repeat(longestLine / 2)])
      assert.equal(cutLine(line), line);
  });

  it('cuts what is longer and says by how much', () => {
    assert.equal(cutLine('x'.repeat(longestLine + 5)), `${'x'.repeat(longestLine)}… (cut, 5 more bytes)`);
  });

  it('never cuts within a character', () => {
    fc.assert(
      fc.property(
        fc.integer({ min: longestLine - 8, max: longestLine + 8 }),
        fc.constantFrom('é', '日', '😀'),
        (lead, char) => {
          const line = `${'x'.repeat(lead)}${char.repeat(5)}`;
          const kept = cutLine(line).split('… (cut')[0] ?? '';
          assert.ok(line.startsWith(kept) && Buffer.byteLength(kept) <= longestLine);
          assert.ok(Buffer.byteLength(line) <= longestLine || Buffer.byteLength(kept) > longestLine - 4);
        },
      ),
    );
  });
});
