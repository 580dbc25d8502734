/**
 * What a command gets from outside: streams, environment, clock, and how to reach a node. The one place that turns
 * flags, environment and files into a client; a test makes a context of its own.
 */
import type { BaseContext } from 'clipanion';
import type { Clock } from '../specs/clock.ts';
import type { Client } from './client.ts';
import type { ClientConfig, Env } from './config.ts';
import { CliError, ExitCode, usageError } from './errors.ts';

/** A login, and where it is from. */
export interface Login extends ClientConfig {
  /** The file that it is saved in; null for SVC_URL and SVC_TOKEN. */
  path: string | null;
}

export interface Context extends BaseContext {
  cwd: string;
  /** Who runs this program, and on which machine; to name things after. */
  user: string;
  hostname: string;
  clock: Clock;
  version: string;
  /** The login of a profile, else SVC_URL with SVC_TOKEN, else the default profile. Throws CliError where there is none. */
  login(profile: string | undefined): Promise<Login>;
  /** A client for the node of that login. */
  connect(profile: string | undefined): Promise<Client>;
  /** A client for any node, with or without a token. */
  clientFor(url: string, token?: string, renew?: string): Promise<Client>;
  /** Aborted by the first Ctrl-C. From the first call on, that no longer ends the process; the second one does. */
  interrupted(): AbortSignal;
  /** Aborted by SIGHUP, which from the first call on no longer ends the process. */
  hungUp(): AbortSignal;
  /** Ends every connection. */
  close(): void;
}

export type ContextParts = Omit<
  Context,
  'login' | 'connect' | 'clientFor' | 'close' | 'interrupted' | 'hungUp' | 'colorDepth'
> & {
  onInterrupt: (listener: () => void) => void;
  onHangup: (listener: () => void) => void;
};

export function createContext({ onInterrupt, onHangup, ...parts }: ContextParts): Context {
  const clients: Client[] = [];

  const clientFor = async (url: string, token?: string, renew?: string): Promise<Client> => {
    const { createClient } = await import('./client.ts');
    const { clock, version } = parts;
    const client = createClient({ url, token, renew, clock, version });
    clients.push(client);
    return client;
  };

  return {
    ...parts,
    colorDepth: 1,
    clientFor,
    login: (profile) => loginOf(parts.env, profile),
    async connect(profile) {
      const { url, token, path } = await loginOf(parts.env, profile);
      return clientFor(
        url,
        token,
        path === null
          ? 'Set SVC_TOKEN to one that is valid: svc tokens create makes one.'
          : loginLine(profile),
      );
    },
    interrupted: onceAsked(onInterrupt),
    hungUp: onceAsked(onHangup),
    close() {
      for (const client of clients) client.close();
    },
  };
}

/** @returns a signal that is aborted by what is listened for from the first call on */
function onceAsked(listen: (listener: () => void) => void): () => AbortSignal {
  let controller: AbortController | undefined;
  return () => {
    if (controller) return controller.signal;
    const made = (controller = new AbortController());
    listen(() => made.abort());
    return made.signal;
  };
}

async function loginOf(env: Env, profile: string | undefined): Promise<Login> {
  const { configDir, configPath, isToken, normaliseUrl, readConfig } = await import('./config.ts');
  if (profile === undefined && (env['SVC_URL'] || env['SVC_TOKEN'])) {
    const { SVC_URL: url, SVC_TOKEN: token } = env;
    // A saved token goes only to the node that it was made for.
    if (!url || !token) throw usageError('SVC_URL and SVC_TOKEN go together: set both, or neither.');
    if (!isToken(token)) throw usageError('SVC_TOKEN holds something that is no token.');
    return { url: normaliseUrl(url), token, path: null };
  }
  const path = configPath(configDir(env), profile);
  const config = await readConfig(path);
  if (config !== undefined) return { ...config, path };
  throw new CliError(
    ExitCode.denied,
    profile === undefined ? 'Nobody is logged in.' : `Nobody is logged in as profile "${profile}".`,
    { next: loginLine(profile) },
  );
}

function loginLine(profile: string | undefined): string {
  return `Log in with: svc auth${profile === undefined ? '' : ` --profile ${profile}`}`;
}
