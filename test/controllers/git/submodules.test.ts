import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { submodulesIn } from '../../../controllers/git/submodules.ts';
import { parseGitUrl, type GitUrl } from '../../../specs/git-source.ts';

function gitUrl(text: string): GitUrl {
  const parsed = parseGitUrl(text);
  assert.ok('git' in parsed);
  return parsed.git;
}

/** As `git config --null --list` prints it. */
const listing = (...entries: [key: string, value: string][]) =>
  entries.map(([key, value]) => `${key}\n${value}\0`).join('');
const one = (url: string, path = 'lib') => listing(['submodule.lib.path', path], ['submodule.lib.url', url]);

const base = gitUrl('https://git.example.com/team/app.git');

describe('submodulesIn', () => {
  it('reads names with dots and spaces, and leaves out what is not to be updated', () => {
    const found = submodulesIn(
      listing(
        ['submodule.a.b c.path', 'x/y'],
        ['submodule.a.b c.url', 'https://git.example.com/b.git'],
        ['submodule.off.path', 'off'],
        ['submodule.off.url', 'https://git.example.com/off.git'],
        ['submodule.off.update', 'none'],
        ['submodule.nowhere.path', 'z'],
        ['core.sshcommand', 'evil'],
      ),
      base,
    );
    assert.deepEqual(
      found.map(({ name, path, git }) => [name, path, git.url]),
      [['a.b c', 'x/y', 'https://git.example.com/b.git']],
    );
  });

  for (const [from, url, to] of [
    ['https://git.example.com/team/app.git', '../lib.git', 'https://git.example.com/team/lib.git'],
    ['https://git.example.com/team/app.git', './lib.git', 'https://git.example.com/team/app.git/lib.git'],
    ['https://git.example.com/team/app.git', '../../lib', 'https://git.example.com/lib'],
    ['ssh://git@git.example.com:2222/team/app', '../lib', 'ssh://git@git.example.com:2222/team/lib'],
    ['git@git.example.com:team/app.git', '../lib.git', 'git@git.example.com:team/lib.git'],
    ['git@git.example.com:team/app.git', '../../lib.git', 'git@git.example.com:lib.git'],
  ] as const) {
    it(`takes ${url} beside ${from} for ${to}`, () =>
      assert.equal(submodulesIn(one(url), gitUrl(from))[0]?.git.url, to));
  }

  for (const url of ['../../../x', 'ext::x', '/srv/x', 'file:///x', '-u./x', 'http://git.example.com/x', 'x'])
    it(`refuses the address ${url}`, () =>
      assert.throws(() => submodulesIn(one(url), base), { name: 'GitError', message: /submodule "lib"/ }));

  for (const path of ['../x', '/x', 'a/../../x', '.git', 'a/.GIT/hooks', '-x', 'a\r', '', 'a//b', 'a\\b'])
    it(`refuses the path ${JSON.stringify(path)}`, () =>
      assert.throws(() => submodulesIn(one('https://git.example.com/x', path), base), { name: 'GitError' }));
});
