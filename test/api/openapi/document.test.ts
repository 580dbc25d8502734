import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { describe, it } from 'node:test';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { ApiDescription, type Document } from '../../support/api-description.ts';
import { testApi } from '../../support/api.ts';

const openApi = JSON.parse(
  readFileSync(new URL('../../corpora/openapi/schema-3.1.json', import.meta.url), 'utf8'),
) as object;

async function document(t: Parameters<typeof testApi>[0]): Promise<Document> {
  const api = await testApi(t);
  const answer = await api.app.inject('/openapi.json');
  assert.equal(answer.statusCode, 200);
  assert.match(String(answer.headers['content-type']), /^application\/json/);
  return answer.json();
}

describe('the OpenAPI document', () => {
  it('is valid OpenAPI 3.1', async (t) => {
    const formats = {
      'uri-reference': true,
      uri: true,
      regex: true,
      'media-range': true,
      email: true,
    } as const;
    const validate = new Ajv2020({ strict: false, allErrors: true, formats }).compile(openApi);
    validate(await document(t));
    assert.deepEqual(validate.errors ?? [], []);
  });

  it('has schemas that are valid JSON Schema, and that are all used', async (t) => {
    const whole = await document(t);
    const ajv = new Ajv2020({ strict: false, formats: { 'date-time': true } });
    ajv.addSchema(whole, 'api', false, false);
    const text = JSON.stringify(whole);
    for (const name of Object.keys(whole.components.schemas)) {
      ajv.compile({ $ref: `api#/components/schemas/${name}` });
      assert.ok(text.includes(`"#/components/schemas/${name}"`), `${name} is never referred to`);
    }
  });

  it('has every route of the API and nothing else', async (t) => {
    const api = await testApi(t);
    const { operations } = new ApiDescription((await api.app.inject('/openapi.json')).json());
    const documented = operations.map(({ method, path }) => `${method} ${path}`).sort();
    // As printRoutes tells it: one line for each, `/v1/me (GET, HEAD)`.
    const routes = api.app
      .printRoutes({ commonPrefix: false })
      .split('\n')
      .reduce<{ at: string[]; found: string[] }>(collectRoutes, { at: [], found: [] }).found;
    assert.deepEqual(documented, routes.sort());
  });

  it('tells of each operation its name, what it takes and who may', async (t) => {
    const { operations } = new ApiDescription(await document(t));
    assert.equal(new Set(operations.map(({ id }) => id)).size, operations.length);
    for (const { id, summary, description, access, isPublic, responses, path, parameters } of operations) {
      // Names that are made of the method and the path are for routes that declare none.
      assert.doesNotMatch(id, /^(get|put|post|patch|delete)V1/, `${path} declares no operationId`);
      assert.ok(summary.length > 0 && description.length > 0, id);
      assert.equal(isPublic, access === 'public', id);
      assert.equal('401' in responses, !isPublic || id === 'logIn', id);
      if (typeof access === 'object')
        assert.match(description, /Minimum role: (Viewer|Operator|Admin) in the project/);
      const named = parameters.filter((parameter) => parameter.in === 'path').map(({ name }) => `{${name}}`);
      assert.deepEqual(named, path.match(/\{\w+\}/g) ?? [], id);
    }
  });

  it('says where If-Match, Idempotency-Key and Last-Event-ID are taken', async (t) => {
    const { operations } = new ApiDescription(await document(t));
    const taking = (header: string) =>
      operations
        .filter(({ parameters }) => parameters.some(({ name }) => name === header))
        .map(({ id }) => id);
    assert.deepEqual(taking('Last-Event-ID').sort(), [
      'followDeploymentLog',
      'followRunLog',
      'followServiceLog',
    ]);
    for (const id of ['updateUser', 'updateService', 'stopService', 'deleteRegistry', 'setDeployKey'])
      assert.ok(taking('If-Match').includes(id), id);
    for (const id of [
      'createService',
      'createDeployment',
      'createUpload',
      'createApiToken',
      'restartService',
    ])
      assert.ok(taking('Idempotency-Key').includes(id), id);
    for (const id of ['logIn', 'bootstrap', 'updateService', 'listServices'])
      assert.ok(!taking('Idempotency-Key').includes(id), id);
    assert.equal(taking('X-Request-Id').length, operations.length);
  });
});

/** One line of printRoutes without common prefixes: depth by indentation, then a part of the path, then methods. */
function collectRoutes(state: { at: string[]; found: string[] }, line: string) {
  const [, indent = '', part = '', methods] = /^([\s│├└─]*)(\S*)(?: \((.*)\))?$/.exec(line) ?? [];
  const depth = indent.length / 4;
  const at = [...state.at.slice(0, depth - 1), part];
  const path = at.join('').replaceAll(/:(\w+)/g, '{$1}');
  const verbs = (methods ?? '').split(', ').filter((method) => method !== '' && method !== 'HEAD');
  return { at, found: [...state.found, ...verbs.map((verb) => `${verb} ${path}`)] };
}
