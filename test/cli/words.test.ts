import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { CliError } from '../../cli/errors.ts';
import { quoted, wordsOf } from '../../cli/words.ts';

const lines = [
  'node server.js --port 8080',
  '  spread   out  ',
  'sh -c \'echo "a  b" \\n\'',
  'sh -c "echo \\"a b\\" \\\\ \\$HOME \\x \'c\'"',
  'a\\ b c\\\\d',
  "''",
  '"" x',
  'glued\'to gether\'"as one"',
  'ünï cödé',
];

describe('a command line', () => {
  for (const line of lines) {
    it(`is split as a shell does: ${line}`, () => {
      const shell = execFileSync('sh', ['-c', `printf '%s\\0' ${line}`], { encoding: 'utf8' });
      assert.deepEqual(wordsOf('--command', line), shell.split('\0').slice(0, -1));
    });
  }

  it('without a word is none', () => assert.deepEqual(wordsOf('--command', ' \n'), []));

  it('is put together so that it is split into the same words', () => {
    const words = ['sh', '-c', 'echo \'x\' "y" $z \\ ', '', 'ü', 'a=b'];
    assert.deepEqual(wordsOf('--command', quoted(words)), words);
  });

  for (const line of ["'open", '"open', 'end\\']) {
    it(`that does not end is refused: ${line}`, () =>
      assert.throws(
        () => wordsOf('--command', line),
        (error) => error instanceof CliError && error.message.includes('--command'),
      ));
  }
});
