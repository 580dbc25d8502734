/** Checks what an engine answers: dockerode hands on whatever came, parsed or not. */
import type { Static, TSchema } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { EngineError } from './engine.ts';

/**
 * @param what as it reads after "something that is not"
 * @returns the reply, typed; throws `unavailable` when it has another shape
 */
export function expect<T extends TSchema>(schema: T, reply: unknown, what: string): Static<T> {
  if (Value.Check(schema, reply)) return reply;
  const first = Value.Errors(schema, reply).First();
  throw new EngineError(
    'unavailable',
    `The container engine answered something that is not ${what}: check what listens on its socket`,
    first && new Error(`${first.path}: ${first.message}`),
  );
}
