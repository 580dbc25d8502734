import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { fingerprintOf, openBox, sealBox, sealingKey, type Binding } from '../../../api/store/seal.ts';
import { aNodeKey } from '../../support/store.ts';

const binding: Binding = {
  ...{ kind: 'env', owner: 'svc_1', name: 'TOKEN', version: 2 },
  ...{ project: 'prj_1', key_version: 3 },
};
const key = sealingKey(aNodeKey(), 3);

const anyText = fc.string({ unit: 'binary' });
const anyNumber = fc.integer({ min: 1, max: 1_000 });
const anyBinding: fc.Arbitrary<Binding> = fc.record({
  ...{ kind: anyText, owner: anyText, name: anyText, version: anyNumber },
  ...{ project: anyText, key_version: anyNumber },
});

describe('a box', () => {
  it('opens as what was put in', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), anyBinding, (value, bound) => {
        assert.equal(openBox(key, bound, sealBox(key, bound, value, randomBytes)), value);
      }),
    );
  });

  it('is what another implementation makes of the same input', () => {
    // By Python's cryptography 48: HKDF without salt, AESGCM with this JSON array as associated data.
    const nodeKey = Buffer.from(Array.from({ length: 32 }, (_, n) => n));
    const nonce = Buffer.from(Array.from({ length: 12 }, (_, n) => 100 + n));
    const derived = sealingKey(nodeKey, 3);
    assert.equal(derived.toString('hex'), '12809ac583d69186f4fb4ddb027625337fb3643b7dec22499f55b73c4590063e');
    const box = '1.ZGVmZ2hpamtsbW5v94zchQj3WrkPwmxNYUTGI_DwWZg5dpM';
    assert.equal(
      sealBox(derived, binding, 's3crét', () => nonce),
      box,
    );
    assert.equal(openBox(derived, binding, box), 's3crét');
    assert.equal(fingerprintOf(nodeKey), 'f6cf11f519de9027666dc86cf8f76096e98a151bcb1256631b9faedc8d169c8b');
  });

  it('opens as nothing but what it was sealed as', () => {
    const value = 'a value';
    const box = sealBox(key, binding, value, randomBytes);
    fc.assert(
      fc.property(anyBinding, fc.subarray(Object.keys(binding), { minLength: 1 }), (other, names) => {
        const changed = names.filter(
          (name) => other[name as keyof Binding] !== binding[name as keyof Binding],
        );
        fc.pre(changed.length > 0);
        const moved = Object.fromEntries(names.map((name) => [name, other[name as keyof Binding]]));
        assert.throws(() => openBox(key, { ...binding, ...moved }, box));
      }),
    );
  });

  it('is bound to names that cannot be cut in another way', () => {
    const box = sealBox(key, { ...binding, owner: 'ab', name: 'c' }, 'a value', randomBytes);
    assert.throws(() => openBox(key, { ...binding, owner: 'a', name: 'bc' }, box));
    const quoted = sealBox(key, { ...binding, owner: 'a","b', name: 'c' }, 'a value', randomBytes);
    assert.throws(() => openBox(key, { ...binding, owner: 'a', name: 'b","c' }, quoted));
  });

  it('does not open when any bit of it is flipped, or a part is missing', () => {
    const box = Buffer.from(sealBox(key, binding, 'a value', randomBytes));
    for (let bit = 0; bit < box.length * 8; bit++) {
      const flipped = Buffer.from(box);
      flipped.writeUInt8(flipped.readUInt8(bit >> 3) ^ (1 << (bit & 7)), bit >> 3);
      assert.throws(() => openBox(key, binding, flipped.toString('latin1')), `bit ${bit}`);
    }
    for (let length = 0; length < box.length; length++) {
      assert.throws(() => openBox(key, binding, box.subarray(0, length).toString()), `${length} bytes`);
    }
  });

  it('does not open under the key of another version, or of another node', () => {
    const box = sealBox(key, binding, 'a value', randomBytes);
    assert.throws(() => openBox(sealingKey(aNodeKey(), 4), binding, box));
    assert.throws(() => openBox(sealingKey(aNodeKey(2), 3), binding, box));
  });

  it('is another one each time', () => {
    const boxes = Array.from({ length: 100 }, () => sealBox(key, binding, 'a value', randomBytes));
    assert.equal(new Set(boxes).size, 100);
  });

  it('refuses half a character, which would come back as another', () => {
    assert.throws(() => sealBox(key, binding, 'a\ud800', randomBytes), /lone surrogate/);
  });
});

describe('a node key', () => {
  it('has 32 bytes', () => {
    assert.throws(() => sealingKey(Buffer.alloc(31), 1), /32 bytes, and this one 31/);
  });

  it('has a fingerprint that is neither the key, nor its hash, nor what seals', () => {
    const [one, other] = [fingerprintOf(aNodeKey(1)), fingerprintOf(aNodeKey(2))];
    assert.match(one, /^[0-9a-f]{64}$/);
    assert.notEqual(one, other);
    assert.equal(fingerprintOf(aNodeKey(1)), one);
    for (const version of [1, 2, 3]) {
      assert.notEqual(sealingKey(aNodeKey(1), version).toString('hex'), one);
    }
  });
});
