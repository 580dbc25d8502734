import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { didYouMean } from '../../cli/nearest.ts';
import { nearest } from '../../specs/nearest.ts';

describe('the nearest word', () => {
  const known = ['push', 'projects create', 'services create', 'stop', 'start', 'restart'];
  const rows: [string, string | undefined][] = [
    ['psh', 'push'],
    ['PUSH', 'push'],
    ['stpo', 'stop'],
    ['restrat', 'restart'],
    ['service create', 'services create'],
    ['frobnicate', undefined],
    ['xtp', undefined],
    ['x', undefined],
    ['', undefined],
  ];
  for (const [word, meant] of rows) {
    it(`to ${JSON.stringify(word)} is ${JSON.stringify(meant)}`, () =>
      assert.equal(nearest(word, known), meant));
  }

  it('is offered as a question', () => {
    assert.equal(didYouMean('psh', known), ' Did you mean "push"?');
    assert.equal(didYouMean('frobnicate', known), '');
  });
});
