/** The certificate authority as a port (RFC 8555): the few calls that controllers make, one request for each. Types only. */

/** Of which authority, and until when somebody waits. */
export interface Call {
  /** Directory URL. */
  directory: string;
  signal: AbortSignal;
}

export interface AcmeOrder {
  status: 'pending' | 'ready' | 'processing' | 'valid' | 'invalid';
  authorizations: string[];
  finalize: string;
  /** URL of the certificate, once `valid`. */
  certificate: string | null;
  /** Why it is `invalid`, in words. */
  error: string | null;
}

export interface AcmeAuthorization {
  status: 'pending' | 'valid' | 'invalid' | 'deactivated' | 'expired' | 'revoked';
  /** Its http-01 challenge; null where the authority offers none. */
  challenge: AcmeChallenge | null;
}

export interface AcmeChallenge {
  status: 'pending' | 'processing' | 'valid' | 'invalid';
  url: string;
  token: string;
  /** What is to be answered (RFC 8555, 8.1). */
  key_authorization: string;
  /** What the authority saw, in words. */
  error: string | null;
}

/** Every call rejects with an AcmeError. The account is made when the first call needs it. */
export interface Acme {
  /** @returns the order's URL. The same hostname may give the same order again while that is open */
  newOrder(call: Call, hostname: string): Promise<string>;
  order(call: Call, url: string): Promise<AcmeOrder>;
  authorization(call: Call, url: string): Promise<AcmeAuthorization>;
  /** Says that a challenge can be looked at now. */
  ready(call: Call, challengeUrl: string): Promise<void>;
  /** Asks to issue. @param key PEM; only its public half leaves the node */
  finalize(
    call: Call,
    order: { url: string; finalize: string },
    hostname: string,
    key: string,
  ): Promise<void>;
  /** @returns PEM, leaf first */
  download(call: Call, url: string): Promise<string>;
}

/**
 * `unavailable`: it did not answer, or not in a way that makes sense; the same may work later. `limited`: too much was asked.
 * `refused`: it said no, and would say no again.
 */
export type AcmeErrorCode = 'unavailable' | 'limited' | 'refused';

/** The message is one sentence for a condition, without ids and times. */
export class AcmeError extends Error {
  readonly code: AcmeErrorCode;
  /** Last part of the problem's URN (RFC 8555, 6.7), such as `rateLimited`. */
  readonly type: string | undefined;
  /** Milliseconds that it asked to be left alone. */
  readonly retryAfter: number | undefined;

  constructor(
    code: AcmeErrorCode,
    message: string,
    { type, retryAfter, ...options }: ErrorOptions & { type?: string; retryAfter?: number } = {},
  ) {
    super(message, options);
    this.name = 'AcmeError';
    this.code = code;
    this.type = type;
    this.retryAfter = retryAfter;
  }
}
