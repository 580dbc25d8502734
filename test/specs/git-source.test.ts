import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { isCommit, looksLikeCommit, parseGitUrl, refFault } from '../../specs/git-source.ts';

interface Corpus {
  accept: string[];
  reject: string[];
  refs_accept: string[];
  refs_reject: string[];
}

const corpus = JSON.parse(
  readFileSync(new URL('../corpora/git-urls/urls.json', import.meta.url), 'utf8'),
) as Corpus;

/** Well-formed: whether such a host may be fetched from is known once its addresses are (controllers/git/host-addresses.ts). */
const judgedByAddress = [
  'https://127.0.0.1/x.git',
  'https://localhost/x.git',
  'https://169.254.169.254/latest/meta-data',
  'https://10.0.0.1/x',
  'https://172.17.0.1/x',
  'https://192.168.0.1/x',
  'https://host.docker.internal/x',
];

describe('parseGitUrl', () => {
  for (const url of [...corpus.accept, ...judgedByAddress])
    it(`takes ${JSON.stringify(url)}`, () => assert.ok('git' in parseGitUrl(url)));

  const hostile = [
    'git://git.example.com/x',
    'file:///etc/passwd',
    'file://localhost/srv/git/x',
    'ssh://git:pass@git.example.com/x',
    'https://ada:hunter2@git.example.com/x.git',
    'https://ghp_0123456789@github.com/a/b',
    'HTTPS://ada:hunter2@git.example.com/x.git',
    'https://git.example.com',
    'https://git.example.com/',
    'https://git.example.com:0/x',
    'https://git.example.com:99999/x',
    'https://git.example.com/x?a=b',
    'https://git.example.com/x#a',
    'https://git.example.com/x%0a--upload-pack=y',
    'https://git.example.com/x%zz',
    'https://git.example.com/x y',
    'https://git.example.com/\u202ex',
    'https://git.example.com\\@evil.example/x',
    'https://0x7f.1/x',
    'https://0x7f000001/x',
    'https://127.1/x',
    'https://256.0.0.1/x',
    'https://git..example.com/x',
    'https://git.example.com./x',
    'ssh://git@git.example.com/--upload-pack=x',
    'ssh://-l@git.example.com/x',
    'git@git.example.com:../../x',
    'git.example.com:x',
    'C:\\repo',
    '../repo',
    './repo',
    `https://git.example.com/${'x'.repeat(3000)}`,
  ];
  for (const url of [...corpus.reject.filter((text) => !judgedByAddress.includes(text)), ...hostile]) {
    it(`refuses ${JSON.stringify(url.slice(0, 60))}`, () => {
      const parsed = parseGitUrl(url);
      assert.ok('fault' in parsed);
      assert.equal(parsed.fault.includes('hunter2') || parsed.fault.includes('ghp_'), false);
    });
  }

  for (const [url, transport, user, host, port, path] of [
    ['https://Git.Example.com/team/app.git', 'https', null, 'git.example.com', 443, '/team/app.git'],
    ['https://git.example.com:8443/app', 'https', null, 'git.example.com', 8443, '/app'],
    ['ssh://git@10.1.2.3:2222/srv/git/app.git', 'ssh', 'git', '10.1.2.3', 2222, '/srv/git/app.git'],
    ['git@git.example.com:team/app.git', 'ssh', 'git', 'git.example.com', 22, 'team/app.git'],
  ] as const) {
    it(`reads where ${url} is`, () =>
      assert.deepEqual(parseGitUrl(url), { git: { url, transport, user, host, port, path } }));
  }

  it('says what to do instead', () => {
    const fault = (url: string) => {
      const parsed = parseGitUrl(url);
      return 'fault' in parsed ? parsed.fault : '';
    };
    assert.match(fault('https://ada:hunter2@git.example.com/x'), /deploy-key generate/);
    assert.match(fault('http://git.example.com/x'), /use https:\/\/ or ssh:\/\//);
    assert.match(fault('file:///srv/git'), /must not use file:\/\//);
  });
});

describe('refFault', () => {
  for (const ref of [...corpus.refs_accept, 'HEAD', 'refs/pull/7/head', 'ünïcode', 'a-b_c.d', 'user@host'])
    it(`takes ${JSON.stringify(ref)}`, () => assert.equal(refFault(ref), undefined));
  const hostile = [
    '',
    '-x',
    '--upload-pack=x',
    'a b',
    'main~3',
    'main@{1}',
    'a/',
    'a/.b',
    'a.',
    'x'.repeat(256),
  ];
  for (const ref of [...corpus.refs_reject, ...hostile])
    it(`refuses ${JSON.stringify(ref.slice(0, 40))}`, () => assert.notEqual(refFault(ref), undefined));
});

it('tells commits from names', () => {
  const sha = '0123456789abcdef0123456789abcdef01234567';
  assert.deepEqual([sha, sha.slice(0, 7), 'ABCDEF0', 'main', sha.slice(0, 6)].map(looksLikeCommit), [
    true,
    true,
    true,
    false,
    false,
  ]);
  assert.deepEqual([sha, sha.slice(0, 7), sha.toUpperCase()].map(isCommit), [true, false, false]);
});
