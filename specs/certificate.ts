/**
 * Certificate: what a verified hostname of a service with TLS is served with. It lasts; Orders are its attempts, and each has a
 * Challenge. The private keys are sealed apart, one for each order.
 */
import { Type, type Static } from '@sinclair/typebox';
import { Condition } from './conditions.ts';

const nullableString = Type.Union([Type.String(), Type.Null()]);

export const CertificateSpec = Type.Object(
  {
    hostname: Type.String(),
    /** Null: a hostname that is the operator's own, and needs no proof. */
    domain_id: nullableString,
    /** Null: the control domain. */
    service_id: nullableString,
    project_id: nullableString,
  },
  { additionalProperties: false },
);
export type CertificateSpec = Static<typeof CertificateSpec>;

export const CertificateStatus = Type.Object({
  /** PEM, leaf first; null until the first was issued. */
  chain: nullableString,
  /** Version of the sealed private key that goes with the chain (kind `certificate-key`, owner this row). */
  key_version: Type.Union([Type.Integer(), Type.Null()]),
  not_before: nullableString,
  not_after: nullableString,
  /** Not renewed before this time; null: as soon as may be. */
  renew_at: nullableString,
  /** Orders in a row that failed: what the backoff grows with. */
  failures: Type.Integer({ minimum: 0 }),
  /** No order before this time. */
  retry_at: nullableString,
  /** Directory URL → until when that authority takes no order for this hostname, as it said itself. */
  held: Type.Record(Type.String(), Type.String()),
  last_error: nullableString,
  conditions: Type.Array(Condition),
});
export type CertificateStatus = Static<typeof CertificateStatus>;

/** A certificate before anything was asked for. */
export const uncertified: CertificateStatus = {
  ...{ chain: null, key_version: null, not_before: null, not_after: null, renew_at: null },
  ...{ failures: 0, retry_at: null, held: {}, last_error: null, conditions: [] },
};

/** Names the pair of chain and key that a certificate is served with; another one after every renewal. */
export function pairId(certificateId: string, keyVersion: number): string {
  return `${certificateId}.${keyVersion}`;
}

/** The path that an authority asks for (RFC 8555, 8.3). */
export function acmeChallengePath(token: string): string {
  return `/.well-known/acme-challenge/${token}`;
}

/**
 * `Pending` until it is made at the authority and its challenge is passed, `Ready` once the authority would issue.
 *
 * ```
 * Pending → Ready → Issued
 *     └───────┴───→ Failed
 * ```
 */
export const OrderPhase = Type.Union([
  Type.Literal('Pending'),
  Type.Literal('Ready'),
  Type.Literal('Issued'),
  Type.Literal('Failed'),
]);
export type OrderPhase = Static<typeof OrderPhase>;

/** One attempt to get a certificate (RFC 8555, 7.1.3). */
export const OrderSpec = Type.Object(
  {
    certificate_id: Type.String(),
    hostname: Type.String(),
    /** Directory URL of the authority that it is asked of. */
    directory: Type.String(),
    /** Version of the sealed private key of its certificate that the request is signed with. */
    key_version: Type.Integer({ minimum: 1 }),
  },
  { additionalProperties: false },
);
export type OrderSpec = Static<typeof OrderSpec>;

export const OrderStatus = Type.Object({
  phase: OrderPhase,
  /** At the authority; null until it was made there. */
  url: nullableString,
  /** What was issued: PEM, leaf first. */
  chain: nullableString,
  not_before: nullableString,
  not_after: nullableString,
  last_error: nullableString,
  /** After a failure: before this time the authority takes no other one. */
  retry_at: nullableString,
  conditions: Type.Array(Condition),
});
export type OrderStatus = Static<typeof OrderStatus>;

/** `Pending` until every ingress worker answers it, `Presented` once the authority was told to look. */
export const ChallengePhase = Type.Union([
  Type.Literal('Pending'),
  Type.Literal('Presented'),
  Type.Literal('Valid'),
  Type.Literal('Failed'),
]);
export type ChallengePhase = Static<typeof ChallengePhase>;

/** An http-01 challenge of an order (RFC 8555, 8.3): what the ingress has to answer while it is open. */
export const ChallengeSpec = Type.Object(
  {
    order_id: Type.String(),
    directory: Type.String(),
    hostname: Type.String(),
    token: Type.String(),
    key_authorization: Type.String(),
    url: Type.String(),
    authorization_url: Type.String(),
  },
  { additionalProperties: false },
);
export type ChallengeSpec = Static<typeof ChallengeSpec>;

export const ChallengeStatus = Type.Object({
  phase: ChallengePhase,
  last_error: nullableString,
  conditions: Type.Array(Condition),
});
export type ChallengeStatus = Static<typeof ChallengeStatus>;
