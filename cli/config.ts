/**
 * The client's own files: which directory they are in, and how url and token of a profile are read and written.
 * Holds nothing but these two values, and never lets another user of the machine read them.
 */
import { randomBytes } from 'node:crypto';
import { mkdir, open, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import { parse, stringify, TomlError } from 'smol-toml';
import { CliError, ExitCode, usageError } from './errors.ts';

export type Env = Readonly<Record<string, string | undefined>>;

export interface ClientConfig {
  /** Base URL of the node, without a slash at its end. */
  url: string;
  token: string;
}

/** `$SVC_CONFIG_DIR`, else `$XDG_CONFIG_HOME/svc`, else `~/.config/svc`. */
export function configDir(env: Env): string {
  if (env['SVC_CONFIG_DIR']) return env['SVC_CONFIG_DIR'];
  if (env['XDG_CONFIG_HOME']) return join(env['XDG_CONFIG_HOME'], 'svc');
  return join(env['HOME'] ?? homedir(), '.config', 'svc');
}

/** Path of a profile's file: `client.toml`, or `client.<profile>.toml`. Throws a usage error on a name that is no file name. */
export function configPath(dir: string, profile: string | undefined): string {
  if (profile === undefined) return join(dir, 'client.toml');
  if (!/^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(profile)) {
    throw usageError(
      `"${profile}" is no name for a profile.`,
      'Use letters, digits, dots, underscores and hyphens; at most 64 of them.',
    );
  }
  return join(dir, `client.${profile}.toml`);
}

/** Path of the token that `svc setup` writes and `svc auth --bootstrap` exchanges. */
export function bootstrapTokenPath(dir: string): string {
  return join(dir, 'bootstrap.token');
}

/** The base URL as it is stored and used. Throws a usage error on anything but a plain http or https address. */
export function normaliseUrl(text: string): string {
  // Without a scheme: https, but for this machine, where a node answers plain HTTP.
  const scheme = /^(?:localhost|127\.|\[::1\])/.test(text) ? 'http' : 'https';
  const url = URL.parse(text.includes('://') ? text : `${scheme}://${text}`);
  if (url === null || (url.protocol !== 'http:' && url.protocol !== 'https:') || url.hostname === '') {
    throw usageError(
      text.includes('@') ? 'This is no address of a node.' : `"${text}" is no address of a node.`,
      'Write something like https://control.example.com or http://127.0.0.1:9400.',
    );
  }
  if (url.username !== '' || url.password !== '' || url.search !== '' || url.hash !== '') {
    throw usageError('The address of a node holds no user name, password, query or fragment.');
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}

/** Reads a profile; undefined when there is none. Throws CliError (denied) on a file that holds something else. */
export async function readConfig(path: string): Promise<ClientConfig | undefined> {
  const text = await readText(path);
  if (text === undefined) return undefined;
  let values;
  try {
    values = parse(text);
  } catch (error) {
    // Not kept as a cause: the parser quotes the line, and the token is on it.
    const at = error instanceof TomlError ? ` (line ${error.line})` : '';
    throw damaged(`${path} is no valid TOML${at}.`);
  }
  const { url, token } = values;
  if (typeof url !== 'string' || !isToken(token)) {
    throw damaged(`${path} must hold url and token.`);
  }
  return { url: normaliseUrl(url), token };
}

function damaged(message: string): CliError {
  return new CliError(ExitCode.denied, message, { next: 'Write it anew with: svc auth' });
}

/** Writes a profile: complete or not at all, and with mode 0600 from its first byte whatever the umask. */
export async function writeConfig(path: string, config: ClientConfig): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  const draft = `${path}.${randomBytes(6).toString('hex')}`;
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(stringify({ url: config.url, token: config.token }));
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}

/** The bootstrap token of this machine. Throws what to do where there is none. */
export async function readBootstrapToken(dir: string): Promise<string> {
  const path = bootstrapTokenPath(dir);
  const token = (await readText(path))?.trim();
  if (token === undefined) {
    throw new CliError(ExitCode.denied, `There is no bootstrap token at ${path}.`, {
      next: 'It is written by `svc setup` on the node: run this command there, as the same user.',
    });
  }
  if (!isToken(token))
    throw usageError(`${path} does not hold a token.`, 'Write it anew with: svc setup --force');
  return token;
}

/** Whether it can stand in a header (RFC 6750), so that a damaged file never reaches an error message of the HTTP client. */
export function isToken(value: unknown): value is string {
  return typeof value === 'string' && /^[A-Za-z0-9._~+/=:-]{1,4096}$/.test(value);
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}
