/** Uploads pass through; what an upload takes of memory does not depend on what it holds. */
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { describe, it } from 'node:test';
import { scratchDir, shell } from '../../support/archives.ts';

const run = (program: URL) => `'${process.execPath}' '${fileURLToPath(program)}'`;
const source = run(new URL('../../support/upload-source.ts', import.meta.url));
const receiver = run(new URL('../../support/upload-flood.ts', import.meta.url));
const allowed = 64 * 2 ** 20;

describe('memory of the node', () => {
  const uploads: [string, RegExp][] = [
    ['2 GiB', /^1 entries, 2147483648 bytes$/],
    ['bomb', /200 times the compressed size/],
    ['bomb in a tar', /200 times the compressed size/],
    ['many entries', /^144601 entries, 73728000 bytes$/],
  ];
  for (const [kind, expected] of uploads) {
    it(`grows by less than 64 MiB while it receives: ${kind}`, async (test) => {
      const printed = await shell(`${source} '${kind}' | ${receiver} '${await scratchDir(test)}'`);
      const { outcome, grown } = JSON.parse(printed.toString()) as { outcome: string; grown: number };
      assert.match(outcome, expected);
      assert.ok(grown < allowed, `it grew by ${Math.round(grown / 2 ** 20)} MiB`);
      test.diagnostic(`${Math.round(grown / 2 ** 20)} MiB`);
    });
  }
});
