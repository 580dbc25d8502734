/** Against the real ssh-keygen: what it makes is read, what is written it reads, and both say the same of it. */
import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { generateKey } from '../../../api/ssh-key/generate.ts';
import { readPrivateKey, type SshKey } from '../../../api/ssh-key/private-key.ts';
import { inspectKey, makeKey } from '../../support/ssh-keygen.ts';

const comment = 'svc:shop';

async function keyOf(text: string): Promise<SshKey> {
  const read = await readPrivateKey(text, comment);
  assert.ok('key' in read, 'fault' in read ? read.fault : '');
  return read.key;
}

async function faultOf(text: string): Promise<string> {
  const read = await readPrivateKey(text, comment);
  assert.ok('fault' in read, 'it was taken');
  return read.fault;
}

/** The blob of an OpenSSH private key, changed. */
function tampered(privateKey: string, change: (blob: Buffer) => Buffer): string {
  const [first = '', ...lines] = privateKey.trim().split('\n');
  const last = lines.pop() ?? '';
  const blob = change(Buffer.from(lines.join(''), 'base64')).toString('base64');
  return [first, ...(blob.match(/.{1,70}/g) ?? []), last, ''].join('\n');
}

/** An OpenSSH private key (PROTOCOL.key) of RSA, with any numbers. Big-endian; a leading zero keeps one positive. */
function rsaOf(n: Buffer, rest: readonly Buffer[]): string {
  const field = (value: Buffer | string) => {
    const bytes = Buffer.from(value);
    const length = Buffer.alloc(4);
    length.writeUInt32BE(bytes.length);
    return Buffer.concat([length, bytes]);
  };
  const e = Buffer.from([1, 0, 1]);
  const publicHalf = Buffer.concat([field('ssh-rsa'), field(e), field(n)]);
  const numbers = [n, e, ...rest].map(field);
  const privateHalf = Buffer.concat([Buffer.alloc(8), field('ssh-rsa'), ...numbers, field('')]);
  const header = [Buffer.from('openssh-key-v1\0'), field('none'), field('none'), field('')];
  const blob = [...header, Buffer.from([0, 0, 0, 1]), field(publicHalf), field(privateHalf)];
  const text = Buffer.concat(blob).toString('base64');
  return `-----BEGIN OPENSSH PRIVATE KEY-----\n${text}\n-----END OPENSSH PRIVATE KEY-----\n`;
}

describe('a private key', () => {
  for (const [args, type, bits, word] of [
    ['-t ed25519', 'ssh-ed25519', 256, 'ED25519'],
    ['-t ecdsa -b 256', 'ecdsa-sha2-nistp256', 256, 'ECDSA'],
    ['-t ecdsa -b 384', 'ecdsa-sha2-nistp384', 384, 'ECDSA'],
    ['-t ecdsa -b 521', 'ecdsa-sha2-nistp521', 521, 'ECDSA'],
    ['-t rsa -b 2048', 'ssh-rsa', 2048, 'RSA'],
  ] as const) {
    for (const format of ['RFC4716', 'PEM', 'PKCS8']) {
      it(`of ${type} in ${format} is read, and written as OpenSSH reads it`, async (t) => {
        const made = await makeKey(t, `${args} -m ${format}`);
        const key = await keyOf(made.private_key);
        const said = await inspectKey(t, key.private_key);
        assert.match(
          key.private_key,
          /^-----BEGIN OPENSSH PRIVATE KEY-----\n[^-]+-----END OPENSSH PRIVATE KEY-----\n$/,
        );
        assert.equal(key.public_key, made.public_key.replace('me@home', comment));
        assert.equal(key.public_key, said.public_key);
        assert.equal(said.listed, `${bits} ${key.fingerprint} ${comment} (${word})`);
        assert.deepEqual([key.type, key.bits], [type, bits]);
      });
    }
  }

  it('may come with other line ends, space around it, a byte order mark, and the curve before it', async (t) => {
    const { private_key, public_key } = await makeKey(t, '-t ecdsa -m PEM');
    const half = public_key.split(' ')[1] ?? '';
    for (const text of [
      private_key.replaceAll('\n', '\r\n'),
      private_key.trimEnd(),
      `\n\n  ${private_key.replaceAll('\n', '  \n')}\n`,
      `\uFEFF${private_key}`,
      `-----BEGIN EC PARAMETERS-----\nBggqhkjOPQMBBw==\n-----END EC PARAMETERS-----\n${private_key}`,
    ])
      assert.ok((await keyOf(text)).public_key.includes(half));
  });

  it('of Ed25519 may come in PKCS #8, as OpenSSL writes it', async (t) => {
    const { privateKey } = generateKeyPairSync('ed25519');
    const key = await keyOf(privateKey.export({ format: 'pem', type: 'pkcs8' }).toString());
    assert.equal((await inspectKey(t, key.private_key)).public_key, key.public_key);
  });

  it('of Ed25519 may begin with zeros, in either half', async (t) => {
    const withZeros = ['00', '0000'].map((start) => Buffer.from(start.padEnd(64, '52db'), 'hex'));
    // The first byte of this one's public half is zero.
    const publicZero = Buffer.from('0100021801010101010101010101010101010101010101010101010101010101', 'hex');
    for (const seed of [...withZeros, publicZero]) {
      const { private_key, public_key } = await generateKey(() => seed, comment);
      assert.equal((await inspectKey(t, private_key)).public_key, public_key);
      assert.equal((await keyOf(private_key)).public_key, public_key);
    }
  });

  it('is made on the node, another each time', async (t) => {
    const keys = [await generateKey(randomBytes, comment), await generateKey(randomBytes, comment)] as const;
    const said = await inspectKey(t, keys[0].private_key);
    assert.equal(keys[0].public_key, said.public_key);
    assert.equal(said.listed, `256 ${keys[0].fingerprint} ${comment} (ED25519)`);
    assert.notEqual(keys[0].public_key, keys[1].public_key);
  });
});

describe('what is no key to use', () => {
  it('is refused: DSA, which newer ssh-keygens no longer make', async () => {
    const { privateKey } = generateKeyPairSync('dsa', { modulusLength: 1024, divisorLength: 160 });
    const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
    assert.match(await faultOf(pem), /DSA key/);
  });

  for (const [args, fault] of [
    ['-t rsa -b 1024', /RSA key of 1024 bits/],
    ['-t rsa -b 2040', /RSA key of 2040 bits/],
  ] as const) {
    it(`is refused: ${args}`, async (t) => {
      assert.match(await faultOf((await makeKey(t, args)).private_key), fault);
    });
  }

  it('is refused: RSA numbers that make no key, without ever dividing by them', async () => {
    const number = (bytes: number) => Buffer.concat([Buffer.alloc(1), Buffer.alloc(bytes, 0xff)]);
    const zero = Buffer.alloc(1);
    const long = rsaOf(number(2049), [number(8), zero, number(8), number(8)]);
    assert.match(await faultOf(long), /RSA key of 16392 bits/);
    for (const [p, q] of [
      [zero, zero],
      [zero, number(128)],
      [number(128), number(128)],
    ] as const)
      assert.match(await faultOf(rsaOf(number(256), [number(256), number(128), p, q])), /is damaged/);
  });

  for (const format of ['RFC4716', 'PEM', 'PKCS8']) {
    it(`is refused with how to go on: one with a passphrase in ${format}`, async (t) => {
      const { private_key } = await makeKey(t, `-t ecdsa -m ${format}`, 'correct horse');
      assert.match(await faultOf(private_key), /has a passphrase.*ssh-keygen -p/);
    });
  }

  it('is called what it is: the wrong half, a certificate, two keys, half a key, other formats', async (t) => {
    const { private_key, public_key } = await makeKey(t, '-t ed25519');
    const { publicKey } = generateKeyPairSync('ed25519');
    const lines = private_key.split('\n');
    for (const [text, fault] of [
      [public_key, /is a public key/],
      [publicKey.export({ format: 'pem', type: 'spki' }).toString(), /is a public key/],
      ['---- BEGIN SSH2 PUBLIC KEY ----\nAAAA\n---- END SSH2 PUBLIC KEY ----', /is a public key/],
      [`ssh-ed25519-cert-v01@openssh.com ${public_key.split(' ')[1] ?? ''}`, /is a certificate/],
      ['-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----', /is a certificate/],
      [private_key + private_key, /more than one key/],
      [lines.slice(0, 3).join('\n'), /whole file/],
      [lines.slice(1).join('\n'), /whole file/],
      [`IdentityFile follows\n${private_key}`, /whole file/],
      ['PuTTY-User-Key-File-3: ssh-ed25519\nEncryption: none', /PuTTY/],
      ['hunter2', /whole file/],
      [' ', /whole file/],
    ] as const)
      assert.match(await faultOf(text), fault);
  });

  it('is found out when its halves do not belong together', async (t) => {
    for (const args of ['-t ed25519', '-t ecdsa', '-t rsa -b 2048']) {
      const { private_key } = await makeKey(t, args);
      // In the middle of the private numbers, which come after both copies of the public half.
      const at = args.includes('ed25519') ? 161 : args.includes('ecdsa') ? 290 : 700;
      const text = tampered(private_key, (blob) => {
        blob[at] = (blob[at] ?? 0) ^ 1;
        return blob;
      });
      assert.notEqual(text, private_key);
      assert.match(await faultOf(text), /is damaged|cannot be read/, args);
    }
  });

  it('is found out when it needs hardware, or is on a curve of its own', async (t) => {
    const { private_key } = await makeKey(t, '-t ed25519');
    const name = Buffer.concat([Buffer.from([0, 0, 0, 11]), Buffer.from('ssh-ed25519')]);
    const other = Buffer.concat([Buffer.from([0, 0, 0, 26]), Buffer.from('sk-ssh-ed25519@openssh.com')]);
    const text = tampered(private_key, (blob) => {
      const at = blob.lastIndexOf(name);
      return Buffer.concat([blob.subarray(0, at), other, blob.subarray(at + name.length)]);
    });
    assert.match(await faultOf(text), /security key/);
    for (const namedCurve of ['secp256k1', 'brainpoolP256r1']) {
      const { privateKey } = generateKeyPairSync('ec', { namedCurve });
      for (const type of ['sec1', 'pkcs8'] as const)
        assert.match(
          await faultOf(privateKey.export({ format: 'pem', type }).toString()),
          /OpenSSH does not know/,
        );
    }
    for (const kind of ['x25519', 'ed448'] as const) {
      const { privateKey } = kind === 'ed448' ? generateKeyPairSync('ed448') : generateKeyPairSync('x25519');
      const pem = privateKey.export({ format: 'pem', type: 'pkcs8' }).toString();
      assert.match(await faultOf(pem), /OpenSSH does not know/, kind);
    }
  });

  it('is refused without an error and without a word of it, however it is damaged', async (t) => {
    const texts = await Promise.all(
      ['-t ed25519', '-t ecdsa -m PEM', '-t rsa -b 2048 -m PKCS8', '-t rsa -b 2048'].map(
        async (args) => (await makeKey(t, args)).private_key,
      ),
    );
    const text = fc.constantFrom(...texts);
    const edits = fc.array(fc.tuple(fc.nat(), fc.constantFrom('', 'A', 'z', '\n', '-', '=', '\0')), {
      minLength: 1,
      maxLength: 4,
    });
    await fc.assert(
      fc.asyncProperty(text, edits, async (original, changes) => {
        let changed = original;
        for (const [at, char] of changes) {
          const index = at % changed.length;
          changed = changed.slice(0, index) + char + changed.slice(index + 1);
        }
        const read = await readPrivateKey(changed, comment);
        if ('fault' in read)
          for (const line of original.split('\n').filter((part) => part.length > 40))
            assert.ok(!read.fault.includes(line.slice(0, 8)));
      }),
      { numRuns: 300 },
    );
  });
});
