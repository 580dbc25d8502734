/** Makes requests of every operation of the API from its description alone, and remembers what answers told of ids. */
import { generateKeyPairSync } from 'node:crypto';
import fc from 'fast-check';
import type { ApiDescription, Operation, Schema } from './api-description.ts';

export interface Prepared {
  method: Operation['method'];
  url: string;
  headers: Record<string, string>;
  payload?: Buffer | string;
}

/** Words that no schema tells. */
const given: Record<string, unknown> = {
  private_key: generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
  image: 'busybox:1.37',
  schedule: '0 3 * * *',
  timezone: 'Europe/Berlin',
  password: 'four unusual words here',
  current_password: 'four unusual words here',
};

export class ApiDriver {
  /** What answers have told: `service_id`, `username`, … */
  readonly known = new Map<string, string>();
  private readonly api: ApiDescription;
  private samples = 0;

  constructor(api: ApiDescription) {
    this.api = api;
  }

  /** Ids that the operation takes and that no answer has told yet. */
  missing({ path, bodySchema, responses }: Operation): string[] {
    const { required = [] } = bodySchema ? this.firstBranch(bodySchema) : {};
    const isNew = responses['201'] !== undefined;
    const wanted = required.filter(
      (name) => name === 'project' || name.endsWith('_id') || (name === 'username' && !isNew),
    );
    return [...idsIn(path), ...wanted].filter((name) => !this.known.has(name));
  }

  /** Of a union of bodies the one that is sent. */
  private firstBranch(schemaOrRef: Schema): Schema {
    const schema = this.api.resolve<Schema>(schemaOrRef);
    const [branch] = schema.anyOf ?? [];
    return branch ? this.firstBranch(branch) : schema;
  }

  /** @param everything optional parameters and fields too */
  prepare(operation: Operation, { everything = false } = {}): Prepared {
    const { method, path, bodyTypes, bodySchema } = operation;
    const [type] = bodyTypes;
    const url = this.fill(path) + this.query(operation, everything);
    if (type === undefined) return { method, url, headers: {} };
    const body = bodySchema ? this.body(operation, bodySchema, everything) : undefined;
    const payload = body === undefined ? Buffer.from('an archive') : JSON.stringify(body);
    return { method, url, headers: { 'content-type': type }, payload };
  }

  body(operation: Operation, schema: Schema, everything: boolean): unknown {
    return this.sample(schema, '', { everything, isNew: operation.responses['201'] !== undefined });
  }

  /** The path with ids in it. */
  fill(path: string): string {
    const names = idsIn(path);
    return path.replaceAll(/\{\w+\}/g, () => this.known.get(names.shift() ?? '') ?? 'unknown');
  }

  learn({ path }: Operation, answer: string): void {
    if (!answer.startsWith('{')) return;
    const { id, ...rest } = JSON.parse(answer) as Record<string, unknown>;
    for (const [name, value] of Object.entries(rest)) {
      if (typeof value === 'string' && name.endsWith('_id')) this.known.set(name, value);
    }
    const collection = /\/([a-z-]+)$/.exec(path)?.[1];
    const { username, token } = rest;
    this.learnChallenge(rest);
    if (collection === 'users' && typeof username === 'string') this.known.set('username', username);
    if (collection === 'login' && typeof token === 'string') this.known.set('session', token);
    if (typeof id !== 'string' || collection === undefined) return;
    this.known.set(`${singular(collection)}_id`, id);
    if (collection === 'projects') this.known.set('project', id);
  }

  /** A domain's challenge is answered on its own hostname only. */
  private learnChallenge({ hostname, challenge }: Record<string, unknown>): void {
    if (typeof hostname !== 'string' || !challenge) return;
    this.known.set('host', hostname);
    this.known.set('token', (challenge as { token: string }).token);
  }

  private query({ parameters }: Operation, everything: boolean): string {
    const pairs = parameters
      .filter(
        ({ in: place, name, required }) => place === 'query' && name !== 'cursor' && (everything || required),
      )
      .map(({ name, schema }): [string, string] => [
        name,
        String(this.sample(schema, name, { everything, isNew: false })),
      ]);
    return pairs.length > 0 ? `?${String(new URLSearchParams(pairs))}` : '';
  }

  private sample(schemaOrRef: Schema, name: string, how: { everything: boolean; isNew: boolean }): unknown {
    const schema = this.api.resolve<Schema>(schemaOrRef);
    const known = this.known.get(name);
    if (known !== undefined && (name.endsWith('_id') || name === 'project' || !how.isNew)) return known;
    if (name in given) return given[name];
    if (name === 'hostname') return `host-${(this.samples += 1)}.example.com`;
    const [branch] = schema.anyOf ?? schema.allOf ?? [];
    return branch ? this.sample(branch, name, how) : (schema.const ?? this.ofType(schema, how));
  }

  private ofType(schema: Schema, how: { everything: boolean; isNew: boolean }): unknown {
    switch (schema.type) {
      case 'object':
        return this.object(schema, how);
      case 'array':
        return how.everything && schema.items ? [this.sample(schema.items, '', how)] : [];
      case 'integer':
      case 'number':
        return schema.minimum ?? 1;
      case 'boolean':
        return true;
      case 'string':
        return this.text(schema);
      default:
        throw new Error(`there is no sample of ${JSON.stringify(schema)}`);
    }
  }

  private object(schema: Schema, how: { everything: boolean; isNew: boolean }): Record<string, unknown> {
    const { properties = {}, patternProperties = {}, required = [], minProperties = 0 } = schema;
    const names = Object.keys(properties);
    const optional = names.filter((name) => !required.includes(name));
    const chosen = how.everything
      ? names
      : [...required, ...optional.slice(0, Math.max(0, minProperties - required.length))];
    const fields = chosen.map((name) => [name, this.sample(properties[name] ?? {}, name, how)] as const);
    const patterns = Object.entries(patternProperties).map(
      ([pattern, of]) => [this.text({ pattern }), this.sample(of, '', how)] as const,
    );
    return Object.fromEntries([...fields, ...patterns]);
  }

  /** Always another one. */
  private text({ pattern, format, minLength = 1, maxLength = 60 }: Schema): string {
    this.samples += 1;
    if (format === 'date-time') return '2031-01-01T00:00:00Z';
    if (pattern === undefined) return `text ${this.samples}`.padEnd(minLength, 'x');
    // What a pattern forbids by looking ahead is left out of what is made, and then filtered by.
    const shape = fc.stringMatching(new RegExp(pattern.replaceAll(/\(\?[!=][^)]*\)/g, '')));
    const texts = fc.sample(shape, { seed: this.samples, numRuns: 50 });
    const fits = (text: string) =>
      text.length >= minLength && text.length <= maxLength && new RegExp(pattern).test(text);
    return texts.filter(fits).at(-1) ?? '';
  }
}

/** `/v1/projects/{id}/members/{username}` → `project_id`, `username`. */
function idsIn(path: string): string[] {
  return [...path.matchAll(/([a-z-]+)\/\{(\w+)\}/g)].map(([, collection = '', name = '']) =>
    name === 'id' ? `${singular(collection)}_id` : name,
  );
}

function singular(plural: string): string {
  return plural.replace(/ies$/, 'y').replace(/s$/, '').replaceAll('-', '_');
}
