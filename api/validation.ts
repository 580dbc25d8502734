/**
 * Validation of bodies, queries and paths by their schemas. Bodies are taken as they are: nothing is coerced, filled
 * in or removed. All that is wrong is told at once, with JSON pointers (RFC 6901).
 */
import type { TSchema } from '@sinclair/typebox';
import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { nearest } from '../specs/nearest.ts';
import { ProblemError, type Violation } from '../specs/problem.ts';

/** A hostile body must not be answered with a list as long as itself. */
const maxViolations = 50;
const maxPath = 300;

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

const options = {
  allErrors: true,
  verbose: true,
  strict: true,
  formats: { 'date-time': isTime },
};

/** Whether RFC 3339 has it, and has it in UTC as well, which is how it is kept: there are no years before 0 and after 9999. */
function isTime(text: string): boolean {
  if (!rfc3339.test(text)) return false;
  const time = new Date(text);
  return !Number.isNaN(time.getTime()) && rfc3339.test(time.toISOString());
}

/** For Fastify: bodies strictly; queries and paths, which are text, with numbers read and defaults filled in. */
export function validatorCompiler(): FastifySchemaCompiler<TSchema> {
  const json = new Ajv(options);
  const text = new Ajv({ ...options, useDefaults: true });
  return ({ schema, httpPart }) =>
    httpPart === 'body' ? json.compile(schema) : readingText(schema, text.compile(schema));
}

/**
 * Reads numbers and booleans before it validates, as they are written in decimal and in no other way. Ajv's own coercion
 * takes `Infinity`, which then passes every bound, `0x10` and ` 1 `.
 */
function readingText(schema: TSchema, validate: ValidateFunction): ValidateFunction {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, { type?: string }>);
  const read = (data: Record<string, unknown>) => {
    for (const [name, { type }] of properties) {
      const text = data[name];
      if (typeof text !== 'string') continue;
      if (type === 'integer' && /^-?\d{1,15}$/.test(text)) data[name] = Number(text);
      if (type === 'boolean' && /^(?:true|false)$/.test(text)) data[name] = text === 'true';
    }
  };
  const reading = (data: unknown) => {
    read(data as Record<string, unknown>);
    const isValid = validate(data);
    reading.errors = validate.errors;
    return isValid;
  };
  reading.errors = validate.errors;
  return reading as ValidateFunction;
}

/** For Fastify: what the validators found, as one error. */
export function validationError(errors: FastifySchemaValidationError[], part: string): ProblemError {
  return invalid(violationsOf(errors as ErrorObject[]), partNames[part] ?? part);
}

const partNames: Readonly<Record<string, string>> = {
  body: 'request body',
  querystring: 'query',
  params: 'path',
};

/** The error for input that breaks rules. */
export function invalid(errors: Violation[], what = 'request body'): ProblemError {
  const [first] = errors;
  const detail =
    errors.length === 1 && first
      ? `The ${what} is invalid: ${first.path === '' ? 'it' : first.path} ${first.message}${first.message.endsWith('?') ? '' : '.'}`
      : `The ${what} is invalid in ${errors.length} places.`;
  return new ProblemError('invalid', detail, { errors });
}

function violationsOf(errors: readonly ErrorObject[]): Violation[] {
  return withoutBranches(errors)
    .slice(0, maxViolations)
    .map((error) => ({ path: pathOf(error), message: messageOf(error) }));
}

/**
 * What a union found wrong with each of its branches comes before its own error. Only the branch that was meant is told,
 * or the union's error when none was. One pass: a hostile body can make as many errors as it has bytes.
 */
function withoutBranches(errors: readonly ErrorObject[]): ErrorObject[] {
  const kept: ErrorObject[] = [];
  for (const error of errors) {
    if (error.keyword !== 'anyOf') {
      kept.push(error);
      continue;
    }
    let first = kept.length;
    while (isInside(kept[first - 1], error)) first -= 1;
    kept.push(...meantBranch(error, kept.splice(first)));
  }
  return kept;
}

function isInside(error: ErrorObject | undefined, { schemaPath, instancePath }: ErrorObject): boolean {
  return (
    error?.schemaPath.startsWith(`${schemaPath}/`) === true &&
    `${error.instancePath}/`.startsWith(`${instancePath}/`)
  );
}

/** The branch whose type is right and that has the fewest faults. */
function meantBranch(union: ErrorObject, errors: readonly ErrorObject[]): readonly ErrorObject[] {
  const branches = Map.groupBy(errors, ({ schemaPath }) =>
    schemaPath
      .slice(union.schemaPath.length + 1)
      .split('/', 1)
      .join(),
  );
  const isAlien = ({ keyword, instancePath }: ErrorObject) =>
    instancePath === union.instancePath && (keyword === 'type' || keyword === 'const');
  const [meant] = [...branches.values()]
    .filter((faults) => !faults.some(isAlien))
    .sort((a, b) => a.length - b.length);
  return meant ?? [union];
}

function pathOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
  const member = missingProperty ?? additionalProperty;
  const path = member === undefined ? instancePath : `${instancePath}/${pointerToken(member)}`;
  return path.length > maxPath ? `${path.slice(0, maxPath)}…` : path;
}

/** A member's name as a part of a JSON pointer (RFC 6901, section 3). */
export function pointerToken(name: string): string {
  return name.replaceAll('~', '~0').replaceAll('/', '~1');
}

function messageOf(error: ErrorObject): string {
  const schema = (error.parentSchema ?? {}) as {
    description?: string;
    properties?: Record<string, unknown>;
    patternProperties?: unknown;
    anyOf?: { const?: unknown; type?: string }[];
  };
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      if (schema.patternProperties !== undefined)
        return schema.description === undefined
          ? 'is no allowed name'
          : `is no allowed name: ${schema.description}`;
      return unknownName(
        (error.params as { additionalProperty: string }).additionalProperty,
        schema.properties ?? {},
      );
    case 'pattern':
      return schema.description === undefined
        ? 'has a wrong form'
        : `has a wrong form: ${schema.description}`;
    case 'anyOf':
      return choiceOf(schema.anyOf ?? []);
    default:
      return boundOf(error) ?? error.message ?? 'is invalid';
  }
}

/** What bounds of sizes and numbers say, in words. */
function boundOf({ keyword, params }: ErrorObject): string | undefined {
  const limit = String((params as { limit?: number }).limit);
  switch (keyword) {
    case 'minLength':
      return limit === '1' ? 'must not be empty' : `must have at least ${limit} characters`;
    case 'maxLength':
      return `must have at most ${limit} characters`;
    case 'minItems':
      return `must have at least ${limit} entries`;
    case 'maxItems':
      return `must have at most ${limit} entries`;
    case 'minimum':
      return `must be at least ${limit}`;
    case 'maximum':
      return `must be at most ${limit}`;
    default:
      return undefined;
  }
}

function choiceOf(branches: readonly { const?: unknown; type?: string }[]): string {
  if (branches.every((branch) => 'const' in branch))
    return `must be one of ${branches.map((branch) => JSON.stringify(branch.const)).join(', ')}`;
  const types = new Set(branches.map((branch) => branch.type ?? 'of another form'));
  return `must be ${[...types].join(' or ')}`;
}

function unknownName(name: string, known: Record<string, unknown>): string {
  const meant = name.length > 64 ? undefined : nearest(name, Object.keys(known));
  return meant === undefined ? 'is unknown here' : `is unknown here; did you mean ${meant}?`;
}
