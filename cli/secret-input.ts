/** Passwords and other secrets, as commands take them: hidden on a terminal, or from standard input. Never from arguments. */
import { isUtf8 } from 'node:buffer';
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { Context } from './context.ts';
import { CliError, ExitCode, usageError } from './errors.ts';
import { createPrompt, type Prompt } from './prompt.ts';

type Streams = Pick<Context, 'stdin' | 'stderr'>;

export interface PasswordInput {
  /** What is asked on a terminal. */
  question: string;
  /** `--password-stdin` was given. */
  fromStdin: boolean;
  /** Ask a second time, so that a slip of the fingers is found: for one that is being chosen. */
  twice: boolean;
  /** The one that asked before, if any: it has what was typed ahead. */
  prompt?: Prompt;
}

/** A password that is not empty. Throws a usage error where there is no terminal to ask, or the two differ. */
export async function readPassword(
  { stdin, stderr }: Streams,
  {
    question,
    fromStdin,
    twice,
    prompt = createPrompt(stdin, stderr, 'Give the password with --password-stdin.'),
  }: PasswordInput,
): Promise<string> {
  if (fromStdin) return filled(secretText(await readBytes(stdin), 'Standard input', 'cut'));
  const password = await prompt.askHidden(question);
  if (twice && (await prompt.askHidden('The same again')) !== password) {
    throw usageError('The two passwords differ: nothing was changed.', 'Run the command again.');
  }
  return filled(password);
}

function filled(password: string): string {
  if (password === '') throw usageError('A password must not be empty.');
  return password;
}

/** Everything that a stream holds. */
export async function readBytes(input: AsyncIterable<unknown>): Promise<Buffer> {
  const chunks: Buffer[] = [];
  for await (const chunk of input) chunks.push(Buffer.from(chunk as Buffer | string));
  return Buffer.concat(chunks);
}

/** A file, as it is. Throws CliError (refused) where it cannot be read, a usage error where it holds no text. */
export async function readSecretFile(cwd: string, path: string): Promise<string> {
  let bytes;
  try {
    bytes = await readFile(resolve(cwd, path));
  } catch (error) {
    const why =
      (error as NodeJS.ErrnoException).code === 'ENOENT' ? 'it is not there' : (error as Error).message;
    throw new CliError(ExitCode.refused, `${path} cannot be read: ${why}.`, { cause: error });
  }
  return secretText(bytes, path, 'keep');
}

/**
 * Bytes as text. Nothing is replaced on the way: what is no text is refused, without being quoted.
 * @param where as messages name it, at the beginning of a sentence
 * @param lineEnd `cut`: one line end after it is taken off, as `docker login --password-stdin` does
 */
export function secretText(bytes: Buffer, where: string, lineEnd: 'keep' | 'cut'): string {
  if (!isUtf8(bytes))
    throw usageError(`${where} is no UTF-8 text.`, 'Encode binary data first, in Base64 say.');
  const text = bytes.toString('utf8');
  if (text.includes('\0')) throw usageError(`${where} holds a NUL character.`);
  return lineEnd === 'cut' ? text.replace(/\r?\n$/, '') : text;
}
