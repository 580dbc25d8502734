/** The client manifest `.svc` (TOML): which service a tree is pushed to. Reads and checks it; resolves nothing. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, TomlError } from 'smol-toml';
import { CliError, ExitCode } from './errors.ts';
import { didYouMean } from './nearest.ts';

export interface Manifest {
  project?: string;
  service?: string;
  dockerfile?: string;
  context?: string;
  create?: CreateBlock;
}

/** What `svc push --create` makes the service with. */
export interface CreateBlock {
  port: number;
  health_path?: string;
}

const text = ['project', 'service', 'dockerfile', 'context'] as const;

function manifestPath(dir: string): string {
  return join(dir, '.svc');
}

/** Reads `<dir>/.svc`; an empty manifest when there is none. Throws CliError (refused) on anything that it may not hold. */
export async function readManifest(dir: string): Promise<Manifest> {
  const path = manifestPath(dir);
  let content;
  try {
    content = await readFile(path, 'utf8');
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (code === 'ENOENT' || code === 'ENOTDIR') return {};
    throw new CliError(ExitCode.refused, `${path} cannot be read: ${(error as Error).message}.`, {
      cause: error,
    });
  }
  return parseManifest(content, path);
}

/**
 * Checks the text of a manifest. Unknown keys are refused, so that a typo is never silently dropped.
 * @param path as messages name it
 */
export function parseManifest(content: string, path: string): Manifest {
  const wrong = (message: string, cause?: unknown) =>
    new CliError(ExitCode.refused, `${path}: ${message}`, { cause });
  let values: Record<string, unknown>;
  try {
    values = parse(content);
  } catch (error) {
    if (!(error instanceof TomlError)) throw error;
    throw wrong(
      `line ${error.line}, column ${error.column}: ${error.message.split('\n')[0] ?? 'no valid TOML'}.`,
      error,
    );
  }
  refuseUnknown(values, [...text, 'create'], '', wrong);
  const manifest: Manifest = {};
  for (const key of text) {
    const value = values[key];
    if (value === undefined) continue;
    if (typeof value !== 'string' || value === '') throw wrong(`"${key}" must be a text that is not empty.`);
    manifest[key] = value;
  }
  if (values['create'] !== undefined) manifest.create = createBlock(values['create'], wrong);
  return manifest;
}

type Wrong = (message: string) => CliError;

function createBlock(value: unknown, wrong: Wrong): CreateBlock {
  if (!isTable(value)) throw wrong('"create" must be a table: write [create].');
  refuseUnknown(value, ['port', 'health_path'], '[create] ', wrong);
  const { port, health_path: healthPath } = value;
  if (typeof port !== 'number' || !Number.isInteger(port) || port < 1 || port > 65_535) {
    throw wrong('[create] needs "port", a whole number from 1 to 65535.');
  }
  if (healthPath === undefined) return { port };
  if (typeof healthPath !== 'string' || !/^\/[!-~]*$/.test(healthPath)) {
    throw wrong('[create] "health_path" must be a path that begins with a slash.');
  }
  return { port, health_path: healthPath };
}

function refuseUnknown(
  values: Record<string, unknown>,
  known: readonly string[],
  where: string,
  wrong: Wrong,
): void {
  for (const key of Object.keys(values)) {
    if (!known.includes(key)) throw wrong(`${where}"${key}" is no known key.${didYouMean(key, known)}`);
  }
}

function isTable(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Date);
}
