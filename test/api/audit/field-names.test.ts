import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type } from '@sinclair/typebox';
import { fieldNames } from '../../../api/audit/field-names.ts';
import { CreateService, UpdateSecrets } from '../../../specs/requests.ts';

describe('field names', () => {
  it('are sorted, with the names of variables', () => {
    const body = {
      port: 80,
      name: 'web',
      env: { LOG_LEVEL: 'info', A: '' },
      project: 'shop',
      secrets: ['KEY'],
    };
    assert.deepEqual(fieldNames(body, CreateService), [
      ...['env.A', 'env.LOG_LEVEL', 'name', 'port', 'project', 'secrets.KEY'],
    ]);
    assert.deepEqual(fieldNames({ set: { B: 'hunter2' }, unset: ['A'] }, UpdateSecrets), [
      'set.B',
      'unset.A',
    ]);
  });

  it('never are values, nor what somebody typed where no name belongs', () => {
    const secret = 'hunter2: the password!';
    const body = {
      [secret]: 1,
      env: { [secret]: secret },
      unset: [secret],
      secrets: [secret, 7],
      name: secret,
    };
    assert.deepEqual(fieldNames(body, CreateService), ['env', 'name', 'secrets']);
  });

  for (const body of [undefined, null, 'text', 7, [], ['env']]) {
    it(`are none in ${JSON.stringify(body)}`, () => assert.deepEqual(fieldNames(body, CreateService), []));
  }

  it('are none where the route takes no body, and those of every branch of a union', () => {
    assert.deepEqual(fieldNames({ name: 'web' }, undefined), []);
    const union = Type.Union([
      Type.Object({ image: Type.String() }),
      Type.Object({ upload_id: Type.String() }),
    ]);
    assert.deepEqual(fieldNames({ upload_id: 'u', image: 'i', other: 1 }, union), ['image', 'upload_id']);
  });

  it('are no more than anybody would read', () => {
    const env = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`N${i}`, '']));
    assert.equal(fieldNames({ env }, CreateService).length, 200);
  });
});
