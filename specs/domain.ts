/** Domain: a hostname that a service is served at once somebody has proven that it points to this node. */
import { Type, type Static } from '@sinclair/typebox';
import { Condition } from './conditions.ts';

/**
 * ```
 * Pending → Verified    the challenge, fetched over the hostname, came from this node
 *    └────→ Failed      it did not; verify asks again
 * ```
 * A Verified domain is looked at now and then; one that points elsewhere gets a condition and stays.
 */
export const DomainPhase = Type.Union([
  Type.Literal('Pending'),
  Type.Literal('Verified'),
  Type.Literal('Failed'),
]);
export type DomainPhase = Static<typeof DomainPhase>;

export const DomainSpec = Type.Object(
  {
    /** Canonical: lower case, punycode, no dot at the end. */
    hostname: Type.String(),
    service_id: Type.String(),
    project_id: Type.String(),
    /** Of the ownership challenge: 256 random bits, base64url. Public, and only good for this row. */
    token: Type.String(),
    /** Raised by one for every time that somebody asks to verify it. */
    attempt: Type.Integer({ minimum: 0 }),
  },
  { additionalProperties: false },
);
export type DomainSpec = Static<typeof DomainSpec>;

export const DomainStatus = Type.Object({
  phase: DomainPhase,
  /** Why the last attempt failed, in words. */
  last_error: Type.Union([Type.String(), Type.Null()]),
  verified_at: Type.Union([Type.String(), Type.Null()]),
  /** When it was last looked at. */
  checked_at: Type.Union([Type.String(), Type.Null()]),
  /** The newest attempt that has its verdict. */
  attempt: Type.Integer({ minimum: 0 }),
  conditions: Type.Array(Condition),
});
export type DomainStatus = Static<typeof DomainStatus>;

/** Of a domain that nobody has asked to verify. */
export const unverified: DomainStatus = {
  ...{ phase: 'Pending', last_error: null, verified_at: null, checked_at: null, attempt: 0, conditions: [] },
};

/** Where the challenge of a token is answered: by the ingress on its hostname, and by the API. */
export function challengePath(token: string): string {
  return `/.well-known/service-challenge/${token}`;
}
