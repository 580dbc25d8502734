/**
 * What a hostname is served with, made at its first handshake: at once for thousands of certificates it would block a
 * worker for seconds. The newest used are kept; a certificate that was renewed has another id, so nothing here grows stale.
 */
import { createSecureContext, type SecureContext } from 'node:tls';

/** Contexts kept: each holds some 50 KiB. */
const kept = 1_000;

/**
 * Those of TLS 1.2 with forward secrecy and authenticated encryption (RFC 9325, 4.2); TLS 1.3 has only such. Without AES-256,
 * which costs a third more and is no safer here.
 */
const ciphers = [
  ...['TLS_AES_128_GCM_SHA256', 'TLS_CHACHA20_POLY1305_SHA256', 'TLS_AES_256_GCM_SHA384'],
  ...['ECDHE-ECDSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES128-GCM-SHA256'],
  ...['ECDHE-ECDSA-CHACHA20-POLY1305', 'ECDHE-RSA-CHACHA20-POLY1305'],
].join(':');

/** Options of every context, and of the server itself. */
export const tlsOptions = { minVersion: 'TLSv1.2', ciphers, honorCipherOrder: true } as const;

export interface SecureContexts {
  /** Of a certificate. Rejects when its file is not there or is none; that is asked anew the next time. */
  of(id: string): Promise<SecureContext>;
}

/** @param read gives certificate and key as one PEM text */
export function createSecureContexts(read: (id: string) => Promise<string>): SecureContexts {
  const contexts = new Map<string, Promise<SecureContext>>();
  const make = async (id: string): Promise<SecureContext> => {
    const pem = await read(id);
    return createSecureContext({ ...tlsOptions, cert: pem, key: pem });
  };
  return {
    of(id) {
      const context = contexts.get(id) ?? make(id);
      // Last in order: the newest used.
      contexts.delete(id);
      contexts.set(id, context);
      context.catch(() => {
        if (contexts.get(id) === context) contexts.delete(id);
      });
      const [oldest] = contexts.keys();
      if (contexts.size > kept && oldest !== undefined) contexts.delete(oldest);
      return context;
    },
  };
}
