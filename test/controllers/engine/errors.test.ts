import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EngineError } from '../../../controllers/engine/engine.ts';
import { shorten, toEngineError } from '../../../controllers/engine/errors.ts';

const reply = (statusCode: number, message: unknown) =>
  Object.assign(new Error('x'), { statusCode, json: { message } });
const transport = (code: string) => Object.assign(new Error('x'), { code });

describe('toEngineError', () => {
  for (const [status, message, code] of [
    [400, 'No command specified', 'refused'],
    [403, 'Pool overlaps with other one on this address space', 'conflict'],
    [403, 'Address already in use', 'conflict'],
    [403, 'error while removing network: network n id 1 has active endpoints', 'conflict'],
    [404, 'No such container: a', 'not_found'],
    [409, 'conflict: unable to remove repository reference', 'conflict'],
    [500, 'out of luck', 'unavailable'],
    [500, undefined, 'unavailable'],
    [503, 'shutting down', 'unavailable'],
  ] as const) {
    it(`takes ${status} ${message ?? '(nothing said)'} for ${code}`, () => {
      const error = toEngineError(reply(status, message), 'do it');
      assert.equal(error.code, code);
      assert.equal(error.message, `The engine could not do it: ${message ?? `it answered ${status}`}`);
    });
  }

  for (const code of ['ENOENT', 'ECONNREFUSED', 'EACCES', 'ECONNRESET', 'ECONNABORTED']) {
    it(`takes ${code} for unavailable, with a word on what to do, and keeps it`, () => {
      const cause = transport(code);
      const error = toEngineError(cause, 'list containers');
      assert.equal(error.code, 'unavailable');
      assert.equal(error.cause, cause);
      assert.match(
        error.message,
        /check that it runs|as root or in the engine's group|broke while it was to list containers/,
      );
    });
  }

  it('finds what was said about a call whose reply would be a stream', () => {
    const error = Object.assign(new Error('(HTTP code 400) unexpected - dockerfile parse error line 2 '), {
      statusCode: 400,
      json: null,
    });
    assert.equal(
      toEngineError(error, 'build').message,
      'The engine could not build: dockerfile parse error line 2',
    );
  });

  it('leaves an EngineError as it is', () => {
    const error = new EngineError('aborted', 'stopped');
    assert.equal(toEngineError(error, 'do it'), error);
  });
});

describe('shorten', () => {
  it('drops the call chain of the engine, which says nothing to a user', () => {
    for (const [long, short] of [
      [
        'failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "nope": executable file not found in $PATH: unknown',
        'exec: "nope": executable file not found in $PATH',
      ],
      [
        'failed to solve with frontend dockerfile.v0: failed to create LLB definition: dockerfile parse error line 2: unknown instruction: NOSUCH',
        'dockerfile parse error line 2: unknown instruction: NOSUCH',
      ],
      ['failed to solve: rpc error: code = Unknown desc = a\n  b', 'a b'],
      [
        'unable to find user nosuch: no matching entries in passwd file',
        'unable to find user nosuch: no matching entries in passwd file',
      ],
    ] as const)
      assert.equal(shorten(long), short);
  });

  it('never takes more than 300 characters', () => {
    assert.equal(shorten('x'.repeat(1_000)).length, 300);
  });
});
