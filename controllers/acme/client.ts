/**
 * The port over acme-client, by its low-level calls only: what it would wait for by itself is the business of controllers,
 * who write each step down before the next.
 */
import acme, { type Client } from 'acme-client';
import type { Clock } from '../../specs/clock.ts';
import type { Store } from '../../api/store/store.ts';
import type { Vault } from '../../api/store/vault.ts';
import { accountKey } from './accounts.ts';
import { AcmeError, type Acme, type AcmeAuthorization, type AcmeOrder, type Call } from './acme.ts';
import { wordsOf } from './problem.ts';
import { openTransport } from './transport.ts';

export interface AcmeOptions {
  store: Store;
  vault: Pick<Vault, 'open'>;
  clock: Clock;
  /** Of the account. Whoever sets it agrees to the authority's terms. */
  email: string;
  /** PEM of certificates to trust besides the usual ones. */
  ca: string | null;
}

type Order = Awaited<ReturnType<Client['getOrder']>>;
type Authorization = Awaited<ReturnType<Client['getAuthorizations']>>[number];

export function openAcme(options: AcmeOptions): Acme & { close(): Promise<void> } {
  const transport = openTransport(options);
  const clients = new Map<string, Promise<Client>>();
  const client = (directory: string): Promise<Client> => {
    const known = clients.get(directory);
    if (known !== undefined) return known;
    const registering = register(directory, options);
    clients.set(directory, registering);
    registering.catch(() => clients.delete(directory));
    return registering;
  };
  const call = <T>({ directory, signal }: Call, work: (client: Client) => Promise<T>): Promise<T> =>
    transport.within(signal, async () => {
      try {
        return await work(await client(directory));
      } catch (error) {
        // The authority has forgotten it: the next call registers anew, with the same key.
        if (error instanceof AcmeError && error.type === 'accountDoesNotExist') clients.delete(directory);
        throw error;
      }
    });
  return {
    newOrder: (at, hostname) =>
      call(at, async (to) => (await to.createOrder({ identifiers: [{ type: 'dns', value: hostname }] })).url),
    order: (at, url) => call(at, async (to) => orderOf(await to.getOrder({ url } as Order))),
    authorization: (at, url) =>
      call(at, async (to) => {
        const [found] = await to.getAuthorizations({ authorizations: [url] } as Order);
        return authorizationOf(found, to);
      }),
    ready: (at, url) =>
      call(at, async (to) => {
        await to.completeChallenge({ url } as Challenge);
      }),
    finalize: (at, order, hostname, key) =>
      call(at, async (to) => {
        const [, csr] = await acme.crypto.createCsr({ altNames: [hostname] }, key);
        await to.finalizeOrder(order as Order, csr);
      }),
    download: (at, url) =>
      call(at, (to) => to.getCertificate({ status: 'valid', certificate: url } as Order)),
    close: () => transport.close(),
  };
}

type Challenge = Parameters<Client['completeChallenge']>[0];

/** Also finds the account of a key that has one (RFC 8555, 7.3). */
async function register(directory: string, options: AcmeOptions): Promise<Client> {
  const client = new acme.Client({
    directoryUrl: directory,
    accountKey: await accountKey(directory, options),
  });
  await client.createAccount({ termsOfServiceAgreed: true, contact: [`mailto:${options.email}`] });
  return client;
}

function orderOf({ status, authorizations, finalize, certificate, error }: Partial<Order>): AcmeOrder {
  if (status === undefined || !Array.isArray(authorizations) || typeof finalize !== 'string')
    throw nonsense();
  return { status, authorizations, finalize, certificate: certificate ?? null, error: wordsOf(error) };
}

async function authorizationOf(found: Authorization | undefined, client: Client): Promise<AcmeAuthorization> {
  if (found?.status === undefined || !Array.isArray(found.challenges)) throw nonsense();
  const challenge = found.challenges.find(({ type }) => type === 'http-01');
  if (challenge === undefined) return { status: found.status, challenge: null };
  const { url, token, status, error } = challenge;
  // RFC 8555, 8.3: base64url, so that it is a part of a path and nothing else.
  if (!/^[\w-]{16,200}$/.test(token)) throw nonsense();
  const key_authorization = await client.getChallengeKeyAuthorization(challenge);
  return {
    status: found.status,
    challenge: { url, token, status, key_authorization, error: wordsOf(error) },
  };
}

function nonsense(): AcmeError {
  return new AcmeError('unavailable', 'The certificate authority sent an answer that makes no sense.');
}
