/**
 * What a command gets from outside: streams, environment, clock, and how to reach a node. The one place that turns
 * flags, environment and files into a client; a test makes a context of its own.
 */
import type { BaseContext } from 'clipanion';
import type { Clock } from '../specs/clock.ts';
import type { Client } from './client.ts';
import type { ClientConfig, Env } from './config.ts';
import { CliError, ExitCode, usageError } from './errors.ts';

export interface Context extends BaseContext {
  cwd: string;
  hostname: string;
  clock: Clock;
  version: string;
  /** A client for the node of a profile, or of SVC_URL and SVC_TOKEN. Throws CliError where nobody is logged in. */
  connect(profile: string | undefined): Promise<Client>;
  /** A client for any node, with or without a token. */
  clientFor(url: string, token?: string): Promise<Client>;
  /** Aborted by the first Ctrl-C. From the first call on, that no longer ends the process; the second one does. */
  interrupted(): AbortSignal;
  /** Ends every connection. */
  close(): void;
}

export type ContextParts = Omit<Context, 'connect' | 'clientFor' | 'close' | 'interrupted' | 'colorDepth'> & {
  onInterrupt: (listener: () => void) => void;
};

export function createContext({ onInterrupt, ...parts }: ContextParts): Context {
  const clients: Client[] = [];
  let interrupt: AbortController | undefined;

  const clientFor = async (url: string, token?: string): Promise<Client> => {
    const { createClient } = await import('./client.ts');
    const { clock, version } = parts;
    const client = createClient({ url, clock, version, ...(token === undefined ? {} : { token }) });
    clients.push(client);
    return client;
  };

  return {
    ...parts,
    colorDepth: 1,
    clientFor,
    async connect(profile) {
      const { url, token } = await credentials(parts.env, profile);
      return clientFor(url, token);
    },
    interrupted() {
      if (interrupt === undefined) {
        const controller = new AbortController();
        onInterrupt(() => controller.abort());
        interrupt = controller;
      }
      return interrupt.signal;
    },
    close() {
      for (const client of clients) client.close();
    },
  };
}

/** The profile that was asked for, else SVC_URL with SVC_TOKEN, else the default profile. */
async function credentials(env: Env, profile: string | undefined): Promise<ClientConfig> {
  const { configDir, configPath, isToken, normaliseUrl, readConfig } = await import('./config.ts');
  if (profile === undefined && (env['SVC_URL'] || env['SVC_TOKEN'])) {
    const { SVC_URL: url, SVC_TOKEN: token } = env;
    // A saved token goes only to the node that it was made for.
    if (!url || !token) throw usageError('SVC_URL and SVC_TOKEN go together: set both, or neither.');
    if (!isToken(token)) throw usageError('SVC_TOKEN holds something that is no token.');
    return { url: normaliseUrl(url), token };
  }
  const config = await readConfig(configPath(configDir(env), profile));
  if (config !== undefined) return config;
  const flag = profile === undefined ? '' : ` --profile ${profile}`;
  throw new CliError(
    ExitCode.denied,
    profile === undefined ? 'Nobody is logged in.' : `Nobody is logged in as profile "${profile}".`,
    {
      next: `Log in with: svc auth${flag}`,
    },
  );
}
