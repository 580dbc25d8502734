import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLogLines } from '../../../cli/output/log-lines.ts';

const line = (replica: string, text: string) => ({ at: '', replica, stream: 'stdout' as const, line: text });
const a = 'rep_01jd3v5k6m7n8p9q0r1s2taaaa';
const b = 'rep_01jd3v5k6m7n8p9q0r1s2tbbbb';

describe('lines of workloads', () => {
  it('have the end of the replica’s id before them as soon as a second one prints', () => {
    const textOf = createLogLines({ stdout: {}, env: {}, isMixed: false });
    assert.deepEqual([line(a, 'one'), line(b, 'two'), line(a, 'three')].map(textOf), [
      'one',
      's2tbbbb'.slice(-6) + ' | two',
      '2taaaa | three',
    ]);
    assert.equal(createLogLines({ stdout: {}, env: {}, isMixed: true })(line(a, 'one')), '2taaaa | one');
  });

  it('have a colour for each replica on a terminal, and none with NO_COLOR', () => {
    const terminal = { isTTY: true };
    const textOf = createLogLines({ stdout: terminal, env: {}, isMixed: true });
    const [first, second, again] = [line(a, 'one'), line(b, 'two'), line(a, 'three')].map(textOf);
    assert.equal(first, '\u001b[36m2taaaa |\u001b[39m one');
    assert.equal(second, '\u001b[33m2tbbbb |\u001b[39m two');
    assert.ok(again?.startsWith('\u001b[36m'));
    const plain = createLogLines({ stdout: terminal, env: { NO_COLOR: '1' }, isMixed: true });
    assert.equal(plain(line(a, '\u001b[31mred\u0007')), '2taaaa | red');
  });
});
