/** Certificates for tests, made by openssl: signed by themselves, good for a day. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import type { CertificatePair } from '../../ingress/index.ts';

const exec = promisify(execFile);

/** @param address besides, where it is reached by one */
export async function makePair(hostname: string, address?: string): Promise<CertificatePair> {
  const root = await mkdtemp(join(tmpdir(), 'svc-crt-'));
  const names = [`DNS:${hostname}`, ...(address === undefined ? [] : [`IP:${address}`])].join(',');
  const [key, chain] = [join(root, 'key.pem'), join(root, 'chain.pem')];
  try {
    await exec('openssl', [
      ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes', '-days', '1'],
      ...['-keyout', key, '-out', chain, '-subj', `/CN=${hostname}`, '-addext', `subjectAltName=${names}`],
    ]);
    return { key: await readFile(key, 'utf8'), chain: await readFile(chain, 'utf8') };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
