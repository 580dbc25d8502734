/**
 * The text around a private key (RFC 7468; OpenSSH's PROTOCOL.key uses the same lines), and what people paste in its place.
 * Pure. What is wrong is said without quoting any of it.
 */

const block = /^-----BEGIN ((?:[A-Z0-9]+ )*)PRIVATE KEY-----\n([\s\S]*)\n-----END \1PRIVATE KEY-----$/;
const base64 = /^[A-Za-z0-9+/=\n]+$/;

/** What openssl ecparam writes before a key: the curve, which the key names as well. */
const curveBlock = /^-----BEGIN EC PARAMETERS-----\n[^-]*\n-----END EC PARAMETERS-----\n/;

/** Looked for in this order. */
const mistakes: readonly [pattern: RegExp, fault: string][] = [
  [/^(?:---- BEGIN SSH2 PUBLIC|-----BEGIN (?:RSA )?PUBLIC)/, 'is a public key: send the private half'],
  [/^-----BEGIN CERTIFICATE|^[\w-]+-cert-v01@openssh\.com /, 'is a certificate: send the private key'],
  [
    /^(?:ssh|ecdsa|sk)-[\w.@-]+ /,
    'is a public key: send the private half, which is in the file of that name without .pub',
  ],
  [
    /^PuTTY-User-Key-File/,
    "is in PuTTY's own format: convert it with puttygen KEY.ppk -O private-openssh -o KEY",
  ],
  [/-----BEGIN [\s\S]*-----BEGIN /, 'holds more than one key: send one'],
  [/-----BEGIN ENCRYPTED PRIVATE KEY|\nProc-Type: 4,ENCRYPTED/, encrypted()],
];

/** What is said of a key that only a passphrase opens. */
export function encrypted(): string {
  return 'has a passphrase, and nobody is there to type it: send a copy without one (ssh-keygen -p -N "" -f COPY)';
}

/**
 * @param text as somebody pasted it: with any line ends, and space around it
 * @returns the block alone, of whatever kind, or what is wrong with it
 */
export function readArmour(text: string): { pem: string } | { fault: string } {
  const lines = text.replace(/^\uFEFF/, '').split('\n');
  const pem = lines
    .map((line) => line.trim())
    .join('\n')
    .trim()
    .replace(curveBlock, '');
  const mistake = mistakes.find(([pattern]) => pattern.test(pem));
  if (mistake) return { fault: mistake[1] };
  const content = block.exec(pem)?.[2];
  return content !== undefined && base64.test(content)
    ? { pem: `${pem}\n` }
    : {
        fault:
          'is no private key in PEM or OpenSSH format: send the whole file and nothing else, from -----BEGIN to -----END',
      };
}
