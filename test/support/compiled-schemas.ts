/**
 * Compiled schemas, shared by all APIs of a process, and made when a request first needs them. Tests build many APIs and ask a
 * few routes of each: compiling every schema for each would be most of their work. That all of them compile is seen where every
 * route is asked, and where a real node starts.
 */
import selectSerializer from '@fastify/fast-json-stringify-compiler';
import type { FastifySchemaCompiler, FastifySerializerCompiler } from 'fastify';
import type { App } from '../../api/context.ts';
import { validatorCompiler } from '../../api/validation.ts';

type ValidatorCompiler = FastifySchemaCompiler<object>;
type SerializerCompiler = FastifySerializerCompiler<object>;

// What a node compiles with: its own validators, and Fastify's own serializers.
const compileValidator = validatorCompiler() as ValidatorCompiler;
const compileSerializer = selectSerializer()() as SerializerCompiler;
const validators = new Map<string, ReturnType<ValidatorCompiler>>();
const serializers = new Map<string, ReturnType<SerializerCompiler>>();

/** Must be called before the API is ready. */
export function shareCompiledSchemas(app: App): void {
  app.setValidatorCompiler<object>((route) => {
    const validator = lazily(
      validators,
      () => `${route.httpPart} ${JSON.stringify(route.schema)}`,
      () => compileValidator(route),
    );
    const validate: ReturnType<ValidatorCompiler> = (data) => {
      const isValid = validator()(data);
      validate.errors = validator().errors ?? null;
      return isValid;
    };
    return validate;
  });
  app.setSerializerCompiler<object>((route) => {
    const serializer = lazily(
      serializers,
      () => JSON.stringify(route.schema),
      () => compileSerializer(route),
    );
    return (data) => serializer()(data);
  });
}

/** @returns what gives the value of a key: one that is there, or else a new one */
function lazily<T>(made: Map<string, T>, keyOf: () => string, make: () => T): () => T {
  let value: T | undefined;
  return () => {
    if (value !== undefined) return value;
    const key = keyOf();
    value = made.get(key) ?? make();
    made.set(key, value);
    return value;
  };
}
