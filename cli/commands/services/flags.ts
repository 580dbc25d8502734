/** Flags that say how a service is configured, as the API takes them. */
import { usageError } from '../../errors.ts';
import { didYouMean } from '../../nearest.ts';
import { integerFlag } from '../command.ts';

export interface ConfigurationFlags {
  port: string | undefined;
  healthPath: string | undefined;
  listen: string | undefined;
  replicas: string | undefined;
  /** KEY=VALUE each. */
  env: readonly string[] | undefined;
}

export interface Configuration {
  port?: number;
  health_path?: string;
  listen?: 'tcp' | 'socket';
  replicas?: number;
  env?: Record<string, string>;
}

/** Only what was given. Throws a usage error that names the flag; a value of the environment is never quoted. */
export function configurationOf({
  port,
  healthPath,
  listen,
  replicas,
  env,
}: ConfigurationFlags): Configuration {
  const number = integerFlag('--port', port, 1, 65_535);
  const copies = integerFlag('--replicas', replicas, 1, 100);
  return {
    ...(number !== undefined && { port: number }),
    ...(healthPath !== undefined && { health_path: healthPath }),
    ...(listen !== undefined && { listen: listenOf(listen) }),
    ...(copies !== undefined && { replicas: copies }),
    ...(env !== undefined && { env: environmentOf(env) }),
  };
}

function listenOf(word: string): 'tcp' | 'socket' {
  if (word === 'tcp' || word === 'socket') return word;
  throw usageError(`--listen takes tcp or socket, not "${word}".${didYouMean(word, ['tcp', 'socket'])}`);
}

function environmentOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const end = pair.indexOf('=');
      // Not quoted: a value may be a secret.
      if (end < 1) throw usageError('--env takes KEY=VALUE.');
      return [pair.slice(0, end), pair.slice(end + 1)];
    }),
  );
}
