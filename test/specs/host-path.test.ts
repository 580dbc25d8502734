import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseHostPaths } from '../../specs/host-path.ts';

describe('SERVICE_HOST_PATHS', () => {
  it('names directories, the projects that may have them, and whether to write', () => {
    assert.deepEqual(parseHostPaths(''), []);
    assert.deepEqual(parseHostPaths('shop/media=/srv/media:ro, blog/media=/srv/media'), [
      { project: 'shop', name: 'media', path: '/srv/media', readOnly: true },
      { project: 'blog', name: 'media', path: '/srv/media', readOnly: false },
    ]);
  });

  it('is refused with what is wrong', () => {
    for (const [text, message] of [
      ['shop=/srv', /write project\/name=\/host\/path/],
      ['shop/media=srv', /is no host path/],
      ['shop/media=/', /cannot be mounted/],
      ['shop/media=/srv/../etc', /cannot be mounted/],
      ['shop/media=/srv//x', /cannot be mounted/],
      ['shop/media=/srv/', /cannot be mounted/],
      ['shop/media=/srv:rw', /cannot be mounted/],
      ['Shop/media=/srv', /is no name of a host path/],
      ['shop/a=/srv/a,shop/a=/srv/b', /is there twice/],
    ] as const)
      assert.throws(() => parseHostPaths(text), message, text);
  });
});
