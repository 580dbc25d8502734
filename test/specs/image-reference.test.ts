import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { formatImageReference, parseImageReference } from '../../specs/image-reference.ts';

const hex = 'f'.repeat(64);
const digest = `sha256:${hex}`;

/**
 * The cases of distribution/reference (reference_test.go, normalize_test.go), and what Docker makes of them.
 * Other than there: see specs/image-reference.ts.
 */
const taken: [text: string, registry: string, path: string, tag: string | null, digest?: string][] = [
  ['debian', 'docker.io', 'library/debian', 'latest'],
  ['library/debian', 'docker.io', 'library/debian', 'latest'],
  ['docker/docker', 'docker.io', 'docker/docker', 'latest'],
  ['docker.io/debian', 'docker.io', 'library/debian', 'latest'],
  ['docker.io/library/foo/bar', 'docker.io', 'library/foo/bar', 'latest'],
  ['index.docker.io/debian', 'docker.io', 'library/debian', 'latest'],
  ['index.docker.io/docker/docker', 'docker.io', 'docker/docker', 'latest'],
  ['127.0.0.1:5000/library/debian', '127.0.0.1:5000', 'library/debian', 'latest'],
  ['127.0.0.1:8000/privatebase', '127.0.0.1:8000', 'privatebase', 'latest'],
  ['192.168.0.1', 'docker.io', 'library/192.168.0.1', 'latest'],
  ['192.168.0.1:80', 'docker.io', 'library/192.168.0.1', '80'],
  ['192.168.1.1:5000/repo:5050', '192.168.1.1:5000', 'repo', '5050'],
  ['localhost/debian', 'localhost', 'debian', 'latest'],
  ['LOCALDOMAIN:80/debian', 'localdomain:80', 'debian', 'latest'],
  ['GHCR.io/shop/web', 'ghcr.io', 'shop/web', 'latest'],
  ['test_com', 'docker.io', 'library/test_com', 'latest'],
  ['test_com/foo', 'docker.io', 'test_com/foo', 'latest'],
  ['test.com:tag', 'docker.io', 'library/test.com', 'tag'],
  ['test.com:5000', 'docker.io', 'library/test.com', '5000'],
  ['test.com/repo:tag', 'test.com', 'repo', 'tag'],
  ['test:5000/repo', 'test:5000', 'repo', 'latest'],
  [`test:5000/repo@${digest}`, 'test:5000', 'repo', null, digest],
  [`test:5000/repo:tag@${digest}`, 'test:5000', 'repo', 'tag', digest],
  ['lowercase:Uppercase', 'docker.io', 'library/lowercase', 'Uppercase'],
  ['sub-dom1.foo.com/bar/baz/quux:some-long-tag', 'sub-dom1.foo.com', 'bar/baz/quux', 'some-long-tag'],
  [
    'b.gcr.io/test.example.com/my-app:test.example.com',
    'b.gcr.io',
    'test.example.com/my-app',
    'test.example.com',
  ],
  ['xn--n3h.com/myimage:xn--n3h.com', 'xn--n3h.com', 'myimage', 'xn--n3h.com'],
  ['foo_bar.com:8080', 'docker.io', 'library/foo_bar.com', '8080'],
  ['foo/foo_bar.com:8080', 'docker.io', 'foo/foo_bar.com', '8080'],
  ['docker---rules/docker', 'docker.io', 'docker---rules/docker', 'latest'],
  ['dock__er/docker', 'docker.io', 'dock__er/docker', 'latest'],
  ['jess/t', 'docker.io', 'jess/t', 'latest'],
  [`docker.io/${'1a'.repeat(32)}`, 'docker.io', `library/${'1a'.repeat(32)}`, 'latest'],
  [hex.slice(1), 'docker.io', `library/${hex.slice(1)}`, 'latest'],
  [`busybox:latest@${digest}`, 'docker.io', 'library/busybox', 'latest', digest],
];

const refused: [text: string, fault: RegExp][] = [
  ['', /must be named/],
  [':justtag', /name of lower-case/],
  [`@${digest}`, /name of lower-case/],
  [`repo@sha256:${'f'.repeat(34)}`, /64 hexadecimal/],
  [`validname@invaliddigest:${hex}`, /64 hexadecimal/],
  [`repo@sha512:${hex}${hex}`, /64 hexadecimal/],
  [`repo@sha256:${'F'.repeat(64)}`, /lower case/],
  [`repo@${digest}@${digest}`, /64 hexadecimal/],
  ['Uppercase:tag', /lower-case/],
  ['Docker/docker', /lower-case/],
  ['test:5000/Uppercase/lowercase:tag', /lower-case/],
  [`${'a/'.repeat(128)}a:tag`, /at most 255/],
  ['aa/asdf$$^/aa', /lower-case/],
  ['docker///docker', /lower-case/],
  ['-docker/docker', /lower-case/],
  ['docker-/docker', /lower-case/],
  ['-docker.io/docker/docker', /host or host:port/],
  ['dock..er/docker', /host or host:port/],
  ['dock_.er/docker', /host or host:port/],
  ['____/____', /lower-case/],
  ['docker/', /lower-case/],
  ['/docker', /lower-case/],
  ['[fc00::1]:5000/docker', /host or host:port/],
  ['fc00::1:5000/debian', /host or host:port/],
  ['host:0/app', /host or host:port/],
  ['host:65536/app', /host or host:port/],
  [hex, /id of an image/],
  [digest, /id of an image/],
  ['https://github.com/docker/docker', /without a scheme/],
  ['docker://ghcr.io/a/b', /without a scheme/],
  ['busybox:-x', /a tag of/],
  ['busybox:', /a tag of/],
  [`busybox:${'a'.repeat(129)}`, /a tag of/],
  ['a'.repeat(1_000), /at most 456/],
  // What would be read as something else further on.
  ['busybox latest', /without spaces/],
  ['busybox\n', /without spaces/],
  ['busybox\u0000', /without spaces/],
  ['böse/app', /without spaces/],
  ['--help', /lower-case/],
  ['../../etc/passwd', /host or host:port/],
  ['host.example/../other', /lower-case/],
  ['busybox?tag=x', /lower-case/],
  ['busybox#x', /lower-case/],
  ['busybox%2f..', /lower-case/],
  ['user:password@host.example/app', /64 hexadecimal/],
];

describe('references of images', () => {
  for (const [text, registry, path, tag, of] of taken) {
    it(`takes ${text}`, () => {
      assert.deepEqual(parseImageReference(text), { registry, path, tag, digest: of ?? null });
    });
  }

  for (const [text, fault] of refused) {
    it(`refuses ${JSON.stringify(text.slice(0, 60))}`, () => {
      const parsed = parseImageReference(text);
      assert.ok('fault' in parsed, JSON.stringify(parsed));
      assert.match(parsed.fault, fault);
    });
  }

  it('are written so that they are read as the same', () => {
    for (const [text] of taken) {
      const parsed = parseImageReference(text);
      assert.ok(!('fault' in parsed));
      const again = parseImageReference(formatImageReference(parsed));
      assert.deepEqual(again, { ...parsed, tag: parsed.digest === null ? parsed.tag : null });
    }
  });
});
