/**
 * Validation of bodies, queries and paths by their schemas. Bodies are taken as they are: nothing is coerced, filled
 * in or removed. All that is wrong is told at once, with JSON pointers (RFC 6901).
 */
import type { TSchema } from '@sinclair/typebox';
import { Ajv, type ErrorObject } from 'ajv';
import type { FastifySchemaCompiler, FastifySchemaValidationError } from 'fastify';
import { nearest } from '../specs/nearest.ts';
import { ProblemError, type Violation } from '../specs/problem.ts';

/** A hostile body must not be answered with a list as long as itself. */
const maxViolations = 50;

const rfc3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:[Zz]|[+-]\d\d:\d\d)$/;

const options = {
  allErrors: true,
  verbose: true,
  strict: true,
  formats: { 'date-time': (text: string) => rfc3339.test(text) && !Number.isNaN(Date.parse(text)) },
};

/** For Fastify: bodies strictly; queries and paths, which are text, with numbers read and defaults filled in. */
export function validatorCompiler(): FastifySchemaCompiler<TSchema> {
  const json = new Ajv(options);
  const text = new Ajv({ ...options, coerceTypes: true, useDefaults: true });
  return ({ schema, httpPart }) => (httpPart === 'body' ? json : text).compile(schema);
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
      ? `The ${what} is invalid: ${first.path === '' ? 'it' : first.path} ${first.message}.`
      : `The ${what} is invalid in ${errors.length} places.`;
  return new ProblemError('invalid', detail, { errors });
}

function violationsOf(errors: readonly ErrorObject[]): Violation[] {
  const unions = new Set(
    errors.filter((error) => error.keyword === 'anyOf').map((error) => error.schemaPath),
  );
  const ofBranch = (error: ErrorObject) =>
    [...unions].some((union) => error.schemaPath.startsWith(`${union}/`));
  return errors
    .filter((error) => !ofBranch(error))
    .slice(0, maxViolations)
    .map((error) => ({ path: pathOf(error), message: messageOf(error) }));
}

function pathOf({ instancePath, params }: ErrorObject): string {
  const { missingProperty, additionalProperty } = params as Record<string, string | undefined>;
  const member = missingProperty ?? additionalProperty;
  return member === undefined ? instancePath : `${instancePath}/${pointerToken(member)}`;
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
    anyOf?: { const?: unknown }[];
  };
  switch (error.keyword) {
    case 'required':
      return 'is required';
    case 'additionalProperties':
      if (schema.patternProperties !== undefined) return 'is no allowed name';
      return unknownName(
        (error.params as { additionalProperty: string }).additionalProperty,
        schema.properties ?? {},
      );
    case 'pattern':
      return schema.description === undefined
        ? 'has a wrong form'
        : `has a wrong form: ${schema.description}`;
    case 'anyOf':
      return `must be one of ${(schema.anyOf ?? []).map((branch) => JSON.stringify(branch.const)).join(', ')}`;
    default:
      return error.message ?? 'is invalid';
  }
}

function unknownName(name: string, known: Record<string, unknown>): string {
  const meant = name.length > 64 ? undefined : nearest(name, Object.keys(known));
  return meant === undefined ? 'is unknown here' : `is unknown here; did you mean ${meant}?`;
}
