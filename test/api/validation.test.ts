import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Type, type TSchema } from '@sinclair/typebox';
import { pageQuery } from '../../api/paging.ts';
import { validationError, validatorCompiler } from '../../api/validation.ts';
import { CreateApiToken, Credentials } from '../../specs/account.ts';
import { CreateService, UpdateService } from '../../specs/requests.ts';

const compile = validatorCompiler();

/** Pointer → message of everything that is wrong. */
function faults(
  schema: TSchema,
  body: unknown,
  httpPart: 'body' | 'querystring' = 'body',
): Record<string, string> {
  const validate = compile({ schema, method: 'POST', url: '/', httpPart }) as ((data: unknown) => boolean) & {
    errors: never;
  };
  if (validate(body)) return {};
  const { code, errors = [] } = validationError(validate.errors, httpPart);
  assert.equal(code, 'invalid');
  return Object.fromEntries(errors.map(({ path, message }) => [path, message]));
}

const service = { project: 'shop', name: 'web', port: 80 };

describe('validation of bodies', () => {
  it('takes a body that is right', () => {
    assert.deepEqual(faults(CreateService, service), {});
    assert.deepEqual(
      faults(CreateService, { ...service, env: { A: '1' }, health: { timeout: '1m30s' }, listen: 'socket' }),
      {},
    );
  });

  it('tells everything at once, with pointers', () => {
    assert.deepEqual(
      faults(CreateService, { name: 'Web', port: 0, replica: 2, resources: { memory: 'much', cpu: 1 } }),
      {
        '/project': 'is required',
        '/name':
          'has a wrong form: lower-case letters, digits and hyphens; at most 63 characters; no hyphen at either end',
        '/port': 'must be at least 1',
        '/replica': 'is unknown here; did you mean replicas?',
        '/resources/memory': 'has a wrong form: such as 512Mi, 1Gi or 500M',
        '/resources/cpu': 'is unknown here; did you mean cpus?',
      },
    );
  });

  it('suggests no name that is far away', () => {
    assert.deepEqual(faults(CreateService, { ...service, colour: 'red' }), { '/colour': 'is unknown here' });
  });

  it('escapes the names of members in pointers', () => {
    assert.deepEqual(faults(CreateService, { ...service, env: { 'a/b~c': '' } }), {
      '/env/a~1b~0c':
        'is no allowed name: letters, digits and underscores, no digit first; at most 256 characters',
    });
  });

  it('bounds the names of variables', () => {
    const named = (length: number) => ({ ...service, env: { ['A'.repeat(length)]: '' } });
    assert.deepEqual(faults(CreateService, named(256)), {});
    assert.match(Object.values(faults(CreateService, named(257))).join(), /^is no allowed name/);
  });

  it('lists the values of a choice', () => {
    assert.deepEqual(faults(CreateService, { ...service, listen: 'udp' }), {
      '/listen': 'must be one of "tcp", "socket"',
    });
  });

  for (const port of ['80', 80.5, null, true, [80], 1e300]) {
    it(`does not read ${JSON.stringify(port)} as a port`, () => {
      assert.deepEqual(Object.keys(faults(CreateService, { ...service, port })), ['/port']);
    });
  }

  it('tells of a union what is wrong with the branch that was meant', () => {
    assert.deepEqual(faults(UpdateService, { env: { A: 7, AB: null, B: 'x'.repeat(70_000), C: true } }), {
      '/env/A': 'must be string or null',
      '/env/B': 'must have at most 65536 characters',
      '/env/C': 'must be string or null',
    });
    const image = Type.Object({ image: Type.String() }, { additionalProperties: false });
    const upload = Type.Object(
      { upload_id: Type.String(), path: Type.Optional(Type.String()) },
      { additionalProperties: false },
    );
    const source = Type.Object({ source: Type.Union([image, upload]) });
    assert.deepEqual(faults(source, { source: { upload_id: 'u', pth: '.' } }), {
      '/source/pth': 'is unknown here; did you mean path?',
    });
    assert.deepEqual(faults(source, { source: 7 }), { '/source': 'must be object' });
  });

  it('never answers with a name as long as a hostile body', () => {
    const [path = ''] = Object.keys(faults(CreateService, { ...service, ['x'.repeat(100_000)]: 1 }));
    assert.ok(path.length < 400);
  });

  it('is done with a hostile body of unions in time that grows as the body does', () => {
    const env = Object.fromEntries(Array.from({ length: 50_000 }, (_, i) => [`A${i}`, i]));
    assert.equal(Object.keys(faults(UpdateService, { env })).length, 50);
  });

  for (const body of [null, [], 'text', 7]) {
    it(`refuses ${JSON.stringify(body)}`, () => assert.ok('' in faults(CreateService, body)));
  }

  it('leaves the body as it came', () => {
    const body = { ...service, health: {} };
    faults(CreateService, body);
    assert.deepEqual(body, { ...service, health: {} });
  });

  it('counts a password in characters', () => {
    assert.deepEqual(faults(Credentials, { username: 'root', password: 'too short' }), {
      '/password': 'must have at least 10 characters',
    });
  });

  it('never answers with a list as long as a hostile body', () => {
    const hostile = Object.fromEntries(Array.from({ length: 20_000 }, (_, i) => [`x${i}`, i]));
    assert.equal(Object.keys(faults(CreateService, hostile)).length, 50);
  });

  for (const [text, isRight] of [
    ['2030-01-01T00:00:00Z', true],
    ['2030-01-01T00:00:00.123+02:00', true],
    ['2030-01-01', false],
    ['2030-13-01T00:00:00Z', false],
    ['tomorrow', false],
    ['2030-01-01T00:00:00', false],
    ['9999-12-31T23:59:59Z', true],
    // In UTC the years 10000 and -1, which no RFC 3339 time has.
    ['9999-12-31T23:59:59-23:59', false],
    ['0000-01-01T00:00:00+23:59', false],
  ] as const) {
    it(`${isRight ? 'takes' : 'refuses'} the time ${text}`, () => {
      assert.equal(
        Object.keys(faults(CreateApiToken, { name: 'ci', expires_at: text })).length,
        isRight ? 0 : 1,
      );
    });
  }
});

describe('validation of queries', () => {
  const query = Type.Object(
    { ...pageQuery, cascade: Type.Optional(Type.Boolean()) },
    { additionalProperties: false },
  );

  it('reads decimal numbers and truth values, and fills in defaults', () => {
    const data = { limit: '7', cascade: 'true' };
    assert.deepEqual(faults(query, data, 'querystring'), {});
    assert.deepEqual(data, { limit: 7, cascade: true });
    const none = {};
    assert.deepEqual(faults(query, none, 'querystring'), {});
    assert.deepEqual(none, { limit: 100 });
  });

  for (const limit of [
    'Infinity',
    '-Infinity',
    'NaN',
    '0x10',
    '1e2',
    ' 1',
    '1.0',
    '',
    '1'.repeat(40),
    '0',
    '501',
  ]) {
    it(`refuses ${JSON.stringify(limit)} as a limit`, () => {
      assert.deepEqual(Object.keys(faults(query, { limit }, 'querystring')), ['/limit']);
    });
  }

  for (const cascade of ['1', 'yes', 'TRUE', '', 'null']) {
    it(`refuses ${JSON.stringify(cascade)} as a truth value`, () => {
      assert.deepEqual(Object.keys(faults(query, { cascade }, 'querystring')), ['/cascade']);
    });
  }

  it('refuses what is unknown, and what comes twice', () => {
    assert.deepEqual(faults(query, { limt: '1', limit: ['1', '2'] }, 'querystring'), {
      '/limit': 'must be integer',
      '/limt': 'is unknown here; did you mean limit?',
    });
  });
});
