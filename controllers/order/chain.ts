/** Whether what an authority sent is what was asked for. A wrong chain must not take the place of one that works. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { AcmeError } from '../acme/acme.ts';

export interface Validity {
  /** RFC 3339. */
  not_before: string;
  not_after: string;
}

/**
 * @param chain PEM, leaf first
 * @param key PEM. Throws an AcmeError `refused` for a chain that cannot be served
 */
export function validityOf(chain: string, hostname: string, key: string): Validity {
  let leaf: X509Certificate;
  try {
    leaf = new X509Certificate(chain);
  } catch (cause) {
    throw new AcmeError('refused', 'The certificate authority sent something that is no certificate.', {
      cause,
    });
  }
  if (!leaf.checkPrivateKey(createPrivateKey(key)))
    throw new AcmeError('refused', 'The certificate authority sent a certificate of another key.');
  if (leaf.checkHost(hostname) === undefined)
    throw new AcmeError('refused', 'The certificate authority sent a certificate for another hostname.');
  return { not_before: leaf.validFromDate.toISOString(), not_after: leaf.validToDate.toISOString() };
}
