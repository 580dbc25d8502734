/** Certificates for tests, made by openssl, good for a day: signed by themselves, or by an authority of their own. */
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
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

/** An authority that nobody trusts yet, and a certificate of it. */
export interface PrivatePair extends CertificatePair {
  /** Of the authority, in PEM. */
  authority: string;
}

/** @param address where the host is reached besides its name */
export async function makePrivatePair(hostname: string, address: string): Promise<PrivatePair> {
  const root = await mkdtemp(join(tmpdir(), 'svc-ca-'));
  const authority = await makePair('a private authority');
  const path = (name: string): string => join(root, name);
  try {
    await writeFile(path('ca.key'), authority.key, { mode: 0o600 });
    await writeFile(path('ca.pem'), authority.chain);
    await writeFile(path('names'), `subjectAltName=DNS:${hostname},IP:${address}\n`);
    await exec('openssl', [
      ...['req', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
      ...['-keyout', path('key.pem'), '-out', path('request.pem'), '-subj', `/CN=${hostname}`],
    ]);
    await exec('openssl', [
      ...['x509', '-req', '-days', '1', '-in', path('request.pem'), '-extfile', path('names')],
      ...['-CA', path('ca.pem'), '-CAkey', path('ca.key'), '-CAcreateserial', '-out', path('chain.pem')],
    ]);
    const [key, chain] = await Promise.all(
      [path('key.pem'), path('chain.pem')].map((file) => readFile(file, 'utf8')),
    );
    return { key: key ?? '', chain: chain ?? '', authority: authority.chain };
  } finally {
    await rm(root, { recursive: true, force: true });
  }
}
