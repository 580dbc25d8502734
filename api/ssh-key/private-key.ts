/**
 * An SSH private key that somebody sends: read, checked, and written again as OpenSSH reads it. Faults are sentences without
 * any of the key, and no error of a library goes further: some of them quote what they could not read.
 */
import { createPrivateKey, createPublicKey, sign, verify, type KeyObject } from 'node:crypto';
import { promisify } from 'node:util';
import sshpk, { type PrivateKey } from 'sshpk';
import { encrypted, readArmour } from './armour.ts';
import { ed25519Key } from './ed25519.ts';

export interface SshKey {
  /** `ssh-ed25519`, `ssh-rsa`, `ecdsa-sha2-nistp256`, … */
  type: string;
  bits: number;
  /** One line, as Git hosts take it. */
  public_key: string;
  /** `SHA256:…` */
  fingerprint: string;
  /** In OpenSSH's format with a final newline, as `ssh -i` wants it. */
  private_key: string;
}

/** Of RSA. Git hosts take no less than 2048, and OpenSSH no more than 16384 (SSHBUF_MAX_BIGNUM). */
const leastBits = 2048;
const mostBits = 16_384;

const curves = ['nistp256', 'nistp384', 'nistp521'];
const better = 'make an ed25519 key (ssh-keygen -t ed25519)';

/** @param comment takes the place of the key's own */
export async function readPrivateKey(
  text: string,
  comment: string,
): Promise<{ key: SshKey } | { fault: string }> {
  const armour = readArmour(text);
  if ('fault' in armour) return armour;
  const parsed = parse(armour.pem);
  if ('fault' in parsed) return parsed;
  const { key } = parsed;
  const fault = kindFault(key) ?? ((await belongsTogether(key)) ? undefined : damaged);
  if (fault !== undefined) return { fault };
  return { key: written(key, comment) };
}

function written(key: PrivateKey, comment: string): SshKey {
  const publicHalf = key.toPublic();
  key.comment = comment;
  publicHalf.comment = comment;
  const public_key = publicHalf.toString('ssh');
  return {
    type: public_key.split(' ', 1)[0] ?? '',
    bits: key.size,
    public_key,
    fingerprint: publicHalf.fingerprint('sha256').toString(),
    private_key: key.toString('ssh-private'),
  };
}

const damaged = 'is damaged: its private half does not belong to its public half';

function parse(pem: string): { key: PrivateKey } | { fault: string } {
  try {
    return { key: sshpk.parsePrivateKey(pem, 'pem') };
  } catch (error) {
    if (error instanceof Error && error.name === 'KeyEncryptedError') return { fault: encrypted() };
    const bytes = Buffer.from(pem.replaceAll(/-.*\n/g, ''), 'base64');
    const isOnHardware = bytes.includes('sk-ssh-') || bytes.includes('sk-ecdsa-');
    return {
      fault: isOnHardware
        ? `belongs to a security key, which the node does not have: ${better}`
        : `cannot be read: it is damaged, or of a kind that OpenSSH does not know; ${better}`,
    };
  }
}

function kindFault({ type, size, curve }: PrivateKey): string | undefined {
  switch (type) {
    case 'ed25519':
      return undefined;
    case 'ecdsa':
      return curves.includes(curve ?? '') ? undefined : `is on a curve that OpenSSH does not know: ${better}`;
    case 'rsa':
      if (size >= leastBits && size <= mostBits) return undefined;
      return `is an RSA key of ${size} bits, where ${leastBits} to ${mostBits} are taken: ${better}`;
    case 'dsa':
      return `is a DSA key, which OpenSSH no longer takes: ${better}`;
    default:
      return `is of a kind that OpenSSH does not know: ${better}`;
  }
}

const signAsync = promisify(sign);

/** sshpk takes the zeros off the front of an Ed25519 seed when it writes PKCS #8, and one seed in 256 begins with one. */
function privateHalf(key: PrivateKey): KeyObject {
  const seed = key.type === 'ed25519' ? key.parts.find(({ name }) => name === 'k')?.data : undefined;
  return seed ? ed25519Key(seed) : createPrivateKey(key.toString('pkcs8'));
}

/** Signs with one half and verifies with the other. Off the main thread: a large RSA key takes a while. */
async function belongsTogether(key: PrivateKey): Promise<boolean> {
  const message = Buffer.from('svc deploy key');
  const algorithm = key.type === 'ed25519' ? null : 'sha256';
  try {
    const signature = await signAsync(algorithm, message, privateHalf(key));
    return verify(algorithm, message, createPublicKey(key.toPublic().toString('pkcs8')), signature);
  } catch {
    // The reason is about the numbers in the key: it says too much to keep, and nothing that would help.
    return false;
  }
}
