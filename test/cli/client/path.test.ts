import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { path } from '../../../cli/client/path.ts';

describe('the path of a route', () => {
  it('has each value as one segment', () => {
    assert.equal(
      path`/v1/projects/${'a b'}/members/${'x/../y?z#'}`,
      '/v1/projects/a%20b/members/x%2F..%2Fy%3Fz%23',
    );
  });

  // A proxy, or an URL, would take the segment before away with these: another object would be meant.
  for (const value of ['', '.', '..']) {
    it(`has no segment ${JSON.stringify(value)}`, () => {
      assert.throws(() => path`/v1/projects/shop/members/${value}`, { name: 'CliError', exitCode: 2 });
    });
  }
});
