import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import {
  formatBytes,
  formatSeconds,
  progressLine,
  progressText,
  summaryText,
} from '../../../cli/pack/progress.ts';

const half = { files: 1234, bytes: 50_000_000, totalFiles: 5678, totalBytes: 100_000_000 };
const summary = { files: 5678, bytes: 100_000_000, compressedBytes: 25_000_000 };

function terminal(isTTY: boolean, columns = 100) {
  const written: string[] = [];
  let now = 1000;
  const output = { isTTY, columns, write: (text: string) => written.push(text) };
  return { line: progressLine(output, { now: () => now }), written, pass: (ms: number) => void (now += ms) };
}

describe('the progress line', () => {
  it('tells files, bytes, rate and time', () => {
    const text = progressText(half, 2000, 200);
    assert.equal(
      text,
      'Pushing [##########..........]  50%   1,234/5,678 files   50.0 MB of 100 MB   25.0 MB/s   2.0s',
    );
  });

  it('fits every width', () => {
    for (let columns = 0; columns <= 120; columns += 1) {
      assert.ok(progressText(half, 2000, columns).length < Math.max(columns, 1), String(columns));
    }
    assert.equal(progressText(half, 2000, 40), 'Pushing  50%   50.0 MB of 100 MB');
    assert.equal(progressText(half, 2000, 5), '');
  });

  it('knows trees without a byte', () => {
    assert.match(
      progressText({ files: 0, bytes: 0, totalFiles: 0, totalBytes: 0 }, 0, 100),
      /100% {3}0\/0 files {3}0 B of 0 B {3}0 B\/s/,
    );
  });

  it('is redrawn on a terminal, not more often than ten times a second', () => {
    const { line, written, pass } = terminal(true);
    for (let i = 0; i < 100; i += 1) {
      line.update(half);
      pass(10);
    }
    assert.equal(written.length, 10);
    assert.ok(written.every((text) => text.startsWith('\rPushing') && text.endsWith('\u001B[K')));
    line.done(summary);
    assert.deepEqual(written.slice(10), ['\r\u001B[K', `${summaryText(summary, 1000)}\n`]);
  });

  it('is only what it came to where there is no terminal', () => {
    const { line, written, pass } = terminal(false);
    line.update(half);
    pass(4000);
    line.done(summary);
    assert.deepEqual(written, ['Pushed 5,678 files, 100 MB (25.0 MB compressed) in 4.0s, 25.0 MB/s\n']);
  });

  it('goes away before a message, and comes back', () => {
    const { line, written } = terminal(true);
    line.clear();
    assert.deepEqual(written, []);
    line.update(half);
    line.clear();
    line.update(half);
    assert.deepEqual(
      written.map((text) => text === '\r\u001B[K'),
      [false, true, false],
    );
  });

  it('says one file of one', () => {
    assert.match(
      summaryText({ files: 1, bytes: 1, compressedBytes: 9 }, 10),
      /^Pushed 1 file, 1 B \(9 B compressed\) in 0\.0s, 100 B\/s$/,
    );
  });
});

describe('units', () => {
  it('gives three digits of bytes', () => {
    const sizes = [0, 1, 999, 1000, 1234, 99_949, 99_950, 999_499, 999_500, 1_500_000, 2e9, 3e12, 5e15];
    const wanted = [
      '0 B',
      '1 B',
      '999 B',
      '1.0 kB',
      '1.2 kB',
      '99.9 kB',
      '100 kB',
      '999 kB',
      '1.0 MB',
      '1.5 MB',
      '2.0 GB',
      '3.0 TB',
      '5000 TB',
    ];
    assert.deepEqual(sizes.map(formatBytes), wanted);
  });

  it('gives seconds, then minutes', () => {
    assert.deepEqual([0, 49, 1234, 59_949, 59_950, 60_000, 3_725_000].map(formatSeconds), [
      '0.0s',
      '0.0s',
      '1.2s',
      '59.9s',
      '1m00s',
      '1m00s',
      '62m05s',
    ]);
  });
});
