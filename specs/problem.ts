/** The body of every error answer (RFC 9457), and the codes that programs may rely on. */
import { Type, type Static } from '@sinclair/typebox';

/** Stable code → HTTP status and title. */
export const problems = {
  bad_request: { status: 400, title: 'Bad request' },
  unauthenticated: { status: 401, title: 'Not authenticated' },
  forbidden: { status: 403, title: 'Not allowed' },
  not_found: { status: 404, title: 'Not found' },
  conflict: { status: 409, title: 'Conflict' },
  precondition_failed: { status: 412, title: 'Precondition failed' },
  too_large: { status: 413, title: 'Too large' },
  unsupported_media_type: { status: 415, title: 'Unsupported media type' },
  invalid: { status: 422, title: 'Invalid' },
  rate_limited: { status: 429, title: 'Too many requests' },
  internal: { status: 500, title: 'Internal error' },
  unavailable: { status: 503, title: 'Unavailable' },
} as const;

export type ProblemCode = keyof typeof problems;

export const Violation = Type.Object({
  path: Type.String({ description: 'JSON pointer (RFC 6901) to the field' }),
  message: Type.String(),
});
export type Violation = Static<typeof Violation>;

export const Problem = Type.Object({
  type: Type.String(),
  title: Type.String(),
  status: Type.Integer(),
  detail: Type.String({ description: 'what is wrong here and what to do next' }),
  code: Type.String(),
  request_id: Type.Optional(Type.String()),
  errors: Type.Optional(Type.Array(Violation)),
});
export type Problem = Static<typeof Problem>;

export interface ProblemOptions {
  cause?: unknown;
  /** Every violation of invalid input. */
  errors?: Violation[];
  /** Seconds after which trying again makes sense; becomes `Retry-After`. */
  retryAfter?: number;
}

/** An error that has an answer: thrown anywhere below a route, it reaches the client as a Problem. */
export class ProblemError extends Error {
  readonly code: ProblemCode;
  readonly errors: Violation[] | undefined;
  readonly retryAfter: number | undefined;

  constructor(code: ProblemCode, detail: string, options: ProblemOptions = {}) {
    super(detail, options.cause === undefined ? undefined : { cause: options.cause });
    this.name = 'ProblemError';
    this.code = code;
    this.errors = options.errors;
    this.retryAfter = options.retryAfter;
  }
}
