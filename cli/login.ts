/**
 * Exchanges a user name and a password for an API token that is known to work. The session in between ends in any case, and
 * a token that is not kept is revoked: nothing that nobody knows of stays valid.
 */
import type { Login } from '../specs/account.ts';
import type { Client } from './client.ts';
import { CliError, ExitCode, toCliError } from './errors.ts';

export interface LoginOptions {
  credentials: Login;
  /** What the token is called. */
  tokenName: string;
  /** Puts the token where it will be found. When this fails, the token is revoked. */
  keep: (token: string) => Promise<void>;
  /** Told what could not be cleaned up: a sentence. */
  warn: (message: string) => void;
}

/** Throws CliError: wrong user name or password (3), and what else the node says. */
export async function loginForToken(
  client: Client,
  { credentials, tokenName, keep, warn }: LoginOptions,
): Promise<void> {
  const session = await sessionOf(client, credentials);
  try {
    const { id, token } = await client.mintToken({ name: tokenName }, session);
    try {
      const me = await client.me(token);
      if (me.user?.username !== credentials.username)
        throw new CliError(ExitCode.denied, 'The node minted a token for somebody else; it was not saved.');
      await keep(token);
    } catch (error) {
      await attempt(() => client.revokeToken(id, session), `the new token ${id} could not be revoked`, warn);
      throw error;
    }
  } finally {
    // It would end by itself: that it did not now is worth a word, no more.
    await attempt(() => client.logout(session), 'the session could not be ended', warn);
  }
}

/** @returns the token of a session */
async function sessionOf(client: Client, credentials: Login): Promise<string> {
  try {
    return (await client.login(credentials)).token;
  } catch (error) {
    if (!(error instanceof CliError) || error.code !== 'unauthenticated') throw error;
    // To log in, which is what to do about any other token that is refused, has just failed.
    const next = 'Check both, and try again.';
    throw new CliError(error.exitCode, error.message, { code: error.code, next, cause: error });
  }
}

async function attempt(
  clean: () => Promise<unknown>,
  failure: string,
  warn: LoginOptions['warn'],
): Promise<void> {
  try {
    await clean();
  } catch (error) {
    warn(`${failure}: ${toCliError(error).message}`);
  }
}
