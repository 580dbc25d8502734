/**
 * Where a certificate and its key lie for the workers: in the run directory, which a reboot empties, one file for each id.
 * What an id names never changes: a renewed certificate has another. Both sides of the control socket must mean the same.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** PEM both. The chain begins with the certificate itself. */
export interface CertificatePair {
  chain: string;
  key: string;
}

const form = /^[a-z0-9_-][a-z0-9_.-]{0,99}$/;

export function certificatesDir(runDir: string): string {
  return join(runDir, 'certificates');
}

/** Throws on what could name a file elsewhere. */
export function certificatePath(runDir: string, id: string): string {
  if (!form.test(id)) throw new Error(`"${id}" is no id of a certificate`);
  return join(certificatesDir(runDir), `${id}.pem`);
}

/** As TLS takes it: certificates and key in one text. Rejects when there is no such file. */
export function readPair(runDir: string, id: string): Promise<string> {
  return readFile(certificatePath(runDir, id), 'utf8');
}
