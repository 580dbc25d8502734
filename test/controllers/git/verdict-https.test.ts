/** What git prints when https fails, with GnuTLS and with OpenSSL, and what is made of it. Hosts that fail: clone-https.test.ts. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { GitCommandError, type Attempt } from '../../../controllers/git/failure.ts';
import { verdictOn } from '../../../controllers/git/verdicts.ts';
import { parseGitUrl } from '../../../specs/git-source.ts';

const parsed = parseGitUrl('https://git.example.com/team/app.git');
assert.ok('git' in parsed);
const attempt: Attempt = { git: parsed.git, knownAs: '', deployKey: null, pinned: [], sshLog: '' };
const there = "fatal: unable to access 'https://git.example.com/team/app.git/': ";

const sayings: [said: string, message: RegExp, reason?: string][] = [
  [
    `${there}server certificate verification failed. CAfile: none CRLfile: none`,
    /cannot be trusted \(server/,
  ],
  [
    `${there}SSL certificate problem: self-signed certificate in certificate chain`,
    /cannot be trusted \(SSL/,
  ],
  [`${there}SSL certificate problem: unable to get local issuer certificate`, /update-ca-certificates/],
  [`${there}SSL certificate problem: certificate has expired`, /certificate has expired/],
  [
    `${there}SSL: certificate subject name (localhost) does not match target host name 'git.example.com'`,
    /made for another name/,
  ],
  [
    `${there}SSL: no alternative certificate subject name matches target host name 'git.example.com'`,
    /made for another name/,
  ],
  [`${there}GnuTLS recv error (-110): The TLS connection was non-properly terminated.`, /broke off/],
  [`${there}OpenSSL SSL_read: error:0A000126:SSL routines::unexpected eof while reading`, /broke off/],
  [`${there}OpenSSL SSL_connect: Connection reset by peer in connection to git.example.com:443`, /broke off/],
  [
    'error: RPC failed; curl 18 transfer closed with outstanding read data remaining\nfatal: early EOF\nfatal: fetch-pack: invalid index-pack output',
    /broke off/,
  ],
  [
    `${there}Operation too slow. Less than 1 bytes/sec transferred the last 60 seconds`,
    /sent nothing for too long/,
    'CloneTimedOut',
  ],
  [
    `${there}Failed to connect to git.example.com port 443 after 9 ms: Couldn't connect to server`,
    /reached on port 443/,
  ],
  [`${there}The requested URL returned error: 308`, /redirect/],
  [`${there}The requested URL returned error: 502`, /status 502/],
  [
    `${there}something that nobody has seen before`,
    /cannot be cloned from git\.example\.com: something that nobody/,
  ],
];

for (const [said, message, reason = 'CloneFailed'] of sayings) {
  it(`says of "${said.replace(there, '').slice(0, 60)}" what it means`, () => {
    const verdict = verdictOn(new GitCommandError('fetch', 128, said), attempt);
    assert.match(verdict.message, message);
    assert.match(verdict.message, /^[A-Z].*\.$/);
    assert.equal(verdict.reason, reason);
  });
}
