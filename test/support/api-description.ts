/** What somebody knows of the API who has read nothing but its OpenAPI document. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { LightMyRequestResponse } from 'fastify';

export interface Schema {
  $ref?: string;
  type?: string;
  format?: string;
  pattern?: string;
  const?: unknown;
  default?: unknown;
  minimum?: number;
  minLength?: number;
  minItems?: number;
  minProperties?: number;
  maxLength?: number;
  required?: string[];
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  allOf?: Schema[];
}

export interface Parameter {
  name: string;
  in: 'path' | 'query' | 'header';
  required: boolean;
  schema: Schema;
}

export interface DeclaredResponse {
  headers?: Record<string, { required?: boolean; schema: Schema } | { $ref: string }>;
  content?: Record<string, { schema: Schema }>;
}

export interface Operation {
  id: string;
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  path: string;
  summary: string;
  description: string;
  access: unknown;
  isPublic: boolean;
  parameters: Parameter[];
  /** Media types of the body; none where there is no body. */
  bodyTypes: string[];
  bodySchema: Schema | undefined;
  responses: Record<string, DeclaredResponse>;
}

interface OperationJson {
  operationId: string;
  summary: string;
  description: string;
  security?: unknown[];
  parameters: (Parameter | { $ref: string })[];
  requestBody?: { content: Record<string, { schema?: Schema }> };
  responses: Record<string, DeclaredResponse | { $ref: string }>;
  'x-svc-access': unknown;
}

export interface Document {
  paths: Record<string, Record<string, OperationJson>>;
  components: { schemas: Record<string, Schema> };
}

export class ApiDescription {
  readonly operations: Operation[];
  private readonly document: Document;
  private readonly ajv = new Ajv2020({ strict: false, allErrors: true, formats: { 'date-time': true } });
  private readonly validators = new Map<Schema, ValidateFunction>();

  constructor(document: Document) {
    this.document = document;
    this.ajv.addSchema(closed(document) as object, 'api', false, false);
    this.operations = Object.entries(document.paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, json]) => this.operation(path, method, json)),
    );
  }

  operation(path: string, method: string, json: OperationJson): Operation {
    const body = json.requestBody?.content ?? {};
    const answers = Object.entries(json.responses);
    return {
      id: json.operationId,
      method: method.toUpperCase() as Operation['method'],
      ...{ path, summary: json.summary, description: json.description, access: json['x-svc-access'] },
      isPublic: json.security?.length === 0,
      parameters: json.parameters.map((parameter) => this.resolve(parameter)),
      bodyTypes: Object.keys(body),
      bodySchema: body['application/json']?.schema,
      responses: Object.fromEntries(answers.map(([status, answer]) => [status, this.resolve(answer)])),
    };
  }

  /** What a reference refers to; anything else is itself. */
  resolve<T extends object>(node: T | { $ref: string }): T {
    if (!('$ref' in node) || typeof node.$ref !== 'string') return node as T;
    let target: unknown = this.document;
    for (const part of node.$ref.slice(2).split('/')) target = (target as Record<string, unknown>)[part];
    if (target === undefined) throw new Error(`${node.$ref} leads nowhere`);
    return this.resolve(target as T);
  }

  /** Everything in which an answer is not as the document says. A body may have no field that is not declared. */
  faults(
    { responses }: Operation,
    answer: Pick<LightMyRequestResponse, 'statusCode' | 'headers' | 'payload'>,
  ) {
    const declared = responses[String(answer.statusCode)];
    if (!declared)
      return [`the status ${answer.statusCode} is not declared: ${answer.payload.slice(0, 300)}`];
    return [...this.headerFaults(declared, answer.headers), ...this.bodyFaults(declared, answer)];
  }

  headerFaults(
    { headers = {} }: DeclaredResponse,
    answered: NodeJS.Dict<number | string | string[]>,
  ): string[] {
    const faults = Object.entries(headers).flatMap(([name, header]) => {
      const { required, schema } = this.resolve(header);
      const value = answered[name.toLowerCase()];
      if (value === undefined) return required ? [`the header ${name} is missing`] : [];
      return this.validate(schema, String(value)).map((fault) => `the header ${name} ${fault}`);
    });
    return answered['etag'] === undefined || headers['ETag']
      ? faults
      : [...faults, 'there is an undeclared ETag'];
  }

  private bodyFaults(
    { content }: DeclaredResponse,
    { headers, payload }: Pick<LightMyRequestResponse, 'headers' | 'payload'>,
  ) {
    if (!content) return payload === '' ? [] : ['there is a body'];
    const type = String(headers['content-type']).split(';', 1).join();
    const declared = content[type];
    if (!declared) return [`the type ${type} is not declared`];
    return type.includes('json') && !type.includes('ndjson')
      ? this.validate(declared.schema, JSON.parse(payload))
      : [];
  }

  private validate(schema: Schema, value: unknown): string[] {
    let validator = this.validators.get(schema);
    if (!validator) {
      validator = this.ajv.compile(closed(schema) as object);
      this.validators.set(schema, validator);
    }
    if (validator(value)) return [];
    return (validator.errors ?? []).map(
      ({ instancePath, message, params }) => `${instancePath} ${String(message)} ${JSON.stringify(params)}`,
    );
  }
}

/** A copy in which objects have no fields but the declared ones, with references into the document by its name. */
function closed(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(closed);
  if (typeof node !== 'object' || node === null) return node;
  const copy = Object.fromEntries(Object.entries(node).map(([key, value]) => [key, closed(value)]));
  if (typeof copy['$ref'] === 'string') copy['$ref'] = copy['$ref'].replace(/^#/, 'api#');
  const isObject = typeof copy['properties'] === 'object' && copy['type'] === 'object';
  return isObject && copy['additionalProperties'] === undefined
    ? { ...copy, additionalProperties: false }
    : copy;
}
