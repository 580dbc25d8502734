import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { bootstrapTokenVerifier, mintBootstrapToken } from '../../../api/auth/bootstrap-token.ts';

const nodeKey = randomBytes(32);
const verify = bootstrapTokenVerifier(() => nodeKey, randomBytes);

describe('bootstrap token', () => {
  it('is recognised by every process that has the node key', () => {
    const token = mintBootstrapToken(nodeKey, randomBytes);
    assert.match(token, /^svc_bootstrap_[\w-]{43}\.[\w-]{43}$/);
    assert.equal(verify(token), true);
    assert.equal(bootstrapTokenVerifier(() => nodeKey, randomBytes)(token), true);
  });

  it('is refused with another node key', () => {
    assert.equal(verify(mintBootstrapToken(randomBytes(32), randomBytes)), false);
  });

  it('is void once the node key is another', () => {
    let key = nodeKey;
    const check = bootstrapTokenVerifier(() => key, randomBytes);
    const token = mintBootstrapToken(nodeKey, randomBytes);
    assert.equal(check(token), true);
    key = randomBytes(32);
    assert.equal(check(token), false);
    assert.equal(check(mintBootstrapToken(key, randomBytes)), true);
  });

  it('is refused with any character changed, left out or added', () => {
    const token = mintBootstrapToken(nodeKey, randomBytes);
    for (let i = 0; i < token.length; i++) {
      const other = token[i] === 'A' ? 'B' : 'A';
      assert.equal(verify(token.slice(0, i) + other + token.slice(i + 1)), false, `changed at ${i}`);
      assert.equal(verify(token.slice(0, i) + token.slice(i + 1)), false, `left out at ${i}`);
    }
    assert.equal(verify(`${token}A`), false);
    assert.equal(verify(` ${token}`), false);
  });

  it('is refused without its parts', () => {
    for (const text of [
      '',
      '.',
      'svc_bootstrap_',
      'svc_bootstrap_.',
      'svc_session_x.y',
      '\0',
      'é'.repeat(100),
    ]) {
      assert.equal(verify(text), false, JSON.stringify(text));
    }
  });
});
