/** How a route declares an answer that it streams. */
import { Type, type TSchema } from '@sinclair/typebox';

interface Streamed {
  description: string;
  content: Record<string, { schema: TSchema }>;
}

/**
 * A response of a route's schema. What is in a stream is said in words: OpenAPI 3.1 has no schema for its parts.
 * @param types media types; which one it is depends on `Accept` where there are several
 */
export function streamed(description: string, ...types: string[]): Streamed {
  const content = types.map((type) => [type, { schema: Type.String() }] as const);
  return { description, content: Object.fromEntries(content) };
}
