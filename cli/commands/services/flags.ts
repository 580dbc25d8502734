/** Flags that say how a service is configured, as the API takes them. */
import type { Release } from '../../../specs/service.ts';
import type { VolumeMount } from '../../../specs/workload.ts';
import { usageError } from '../../errors.ts';
import { didYouMean } from '../../nearest.ts';
import { wordsOf } from '../../words.ts';
import { integerFlag } from '../command.ts';
import { releaseOf } from './release-flag.ts';

export interface ConfigurationFlags {
  port: string | undefined;
  healthPath: string | undefined;
  listen: string | undefined;
  replicas: string | undefined;
  /** KEY=VALUE each. */
  env: readonly string[] | undefined;
  tls: boolean | undefined;
  /** In one line; empty: the image's own. */
  command: string | undefined;
  /** NAME:/PATH each; an empty one: none. */
  volume: readonly string[] | undefined;
  /** The same of host paths. */
  hostPath: readonly string[] | undefined;
  cpus: string | undefined;
  memory: string | undefined;
  /** KEY=VALUE each. */
  release: readonly string[] | undefined;
}

export interface Configuration {
  port?: number;
  health_path?: string;
  listen?: 'tcp' | 'socket';
  replicas?: number;
  env?: Record<string, string>;
  tls_enabled?: boolean;
  /** Null: the image's own. */
  command?: string[] | null;
  volumes?: VolumeMount[];
  resources?: { cpus?: number; memory?: string };
  release?: Partial<Release>;
}

/** Only what was given. Throws a usage error that names the flag; a value of the environment is never quoted. */
export function configurationOf({
  port,
  healthPath,
  listen,
  replicas,
  env,
  tls,
  command,
  volume,
  hostPath,
  ...flags
}: ConfigurationFlags): Configuration {
  const number = integerFlag('--port', port, 1, 65_535);
  const copies = integerFlag('--replicas', replicas, 1, 100);
  return {
    ...(number !== undefined && { port: number }),
    ...(healthPath !== undefined && { health_path: healthPath }),
    ...(listen !== undefined && { listen: listenOf(listen) }),
    ...(copies !== undefined && { replicas: copies }),
    ...(env !== undefined && { env: environmentOf(env) }),
    ...(tls !== undefined && { tls_enabled: tls }),
    ...(command !== undefined && { command: commandOf(command) }),
    ...((volume ?? hostPath) !== undefined && { volumes: mountsOf(volume ?? [], hostPath ?? []) }),
    ...resourcesOf(flags),
    ...(flags.release !== undefined && { release: releaseOf(flags.release) }),
  };
}

function resourcesOf({
  cpus,
  memory,
}: Pick<ConfigurationFlags, 'cpus' | 'memory'>): Pick<Configuration, 'resources'> {
  if ((cpus ?? memory) === undefined) return {};
  if (cpus !== undefined && !/^\d{1,4}(\.\d{1,3})?$/.test(cpus))
    throw usageError(`--cpus takes a number such as 0.5 or 2, not "${cpus}".`);
  return {
    resources: { ...(cpus !== undefined && { cpus: Number(cpus) }), ...(memory !== undefined && { memory }) },
  };
}

function mountsOf(volumes: readonly string[], hostPaths: readonly string[]): VolumeMount[] {
  const read = (flag: string, texts: readonly string[]): [name: string, mount: string][] =>
    texts
      .filter((text) => text !== '')
      .map((text) => {
        const [, name, mount] = /^([^:]+):(\/.*)$/.exec(text) ?? [];
        if (name !== undefined && mount !== undefined) return [name, mount];
        throw usageError(`${flag} takes NAME:/PATH, such as data:/var/lib/data, not "${text}".`);
      });
  return [
    ...read('--volume', volumes).map(([name, mount]) => ({ name, mount })),
    ...read('--host-path', hostPaths).map(([host, mount]) => ({ host, mount })),
  ];
}

function commandOf(line: string): string[] | null {
  const words = wordsOf('--command', line);
  return words.length > 0 ? words : null;
}

function listenOf(word: string): 'tcp' | 'socket' {
  if (word === 'tcp' || word === 'socket') return word;
  throw usageError(`--listen takes tcp or socket, not "${word}".${didYouMean(word, ['tcp', 'socket'])}`);
}

/** Of KEY=VALUE each. Throws a usage error, which quotes none of them. */
export function environmentOf(pairs: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    pairs.map((pair) => {
      const end = pair.indexOf('=');
      // Not quoted: a value may be a secret.
      if (end < 1) throw usageError('--env takes KEY=VALUE.');
      return [pair.slice(0, end), pair.slice(end + 1)];
    }),
  );
}
