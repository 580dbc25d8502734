/**
 * Whom the node trusts over TLS. Node has a list of authorities of its own, git has the machine's: with both, an authority that
 * is added to the machine (update-ca-certificates, or SSL_CERT_FILE) is trusted by all of the node, LFS servers included.
 */
import { getCACertificates, setDefaultCACertificates } from 'node:tls';

/** From now on, in all of this process. */
export function trustAsTheMachine(): void {
  setDefaultCACertificates([...new Set([...getCACertificates('default'), ...getCACertificates('system')])]);
}
