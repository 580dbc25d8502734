/**
 * The build context of a repository: its archives (and those of its submodules) as one canonical tar, without what its
 * .dockerignore leaves out. Every rule of uploads holds for what is left; nothing is ever extracted.
 */
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import {
  dockerignore,
  dockerignoreLines,
  type Dockerignore,
  type Inherited,
} from '../../specs/dockerignore.ts';
import { DockerignoreError } from '../../specs/dockerignore/pattern.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { Checkout } from '../git/clone.ts';
import { GitError } from '../git/failure.ts';
import { planContext, type ContextPaths } from './context.ts';
import type { BuildContext } from './image-build.ts';
import { repositoryLimits, type UploadLimits } from './limits.ts';
import { withLfs } from './lfs-contents.ts';
import { canonicalTar } from './tar/canonical.ts';
import { admitAll, readTar } from './tar/check.ts';
import type { TarPart } from './tar/reader.ts';
import { createTree, type Tree } from './tar/tree.ts';

/** Bytes of a .dockerignore. */
const longestIgnore = 2 ** 20;

/**
 * Of several archives none has what another one has.
 *
 * @throws ProblemError for an entry that breaks a rule and for a path that is not there, GitError for what is too large
 */
export async function repositoryContext(
  { archives, objects }: Pick<Checkout, 'archives' | 'objects'>,
  paths: ContextPaths,
  limits: UploadLimits = repositoryLimits,
): Promise<BuildContext> {
  try {
    const read = () => withLfs(readAll(archives, limits), objects);
    const ignore = await readIgnore(read(), paths);
    const open = (tree: Tree) => admitAll(without(ignore, read(), paths), tree, limits);
    const tree = createTree(limits);
    await exhaust(open(tree));
    const plan = planContext(tree, paths, 'repository');
    const tar = canonicalTar(open(createTree(limits)), plan.place);
    return { stream: Readable.from(tar, { objectMode: false }), dockerfile: plan.dockerfile };
  } catch (error) {
    throw refusalOf(error);
  }
}

/** Reads to the end: every rule is asked, and the tree is whole. */
async function exhaust(parts: AsyncIterable<unknown>): Promise<void> {
  const iterator = parts[Symbol.asyncIterator]();
  while ((await iterator.next()).done !== true);
}

/** The rules are those of uploads, in whose words they are told. */
function refusalOf(error: unknown): unknown {
  if (error instanceof DockerignoreError)
    return new ProblemError('invalid', `${error.message} ${error.hint}`, { cause: error });
  if (!(error instanceof ProblemError)) return error;
  const message = error.message.replaceAll(/\b(?:upload|archive)\b/g, 'repository');
  return error.code === 'too_large'
    ? new GitError('CloneTooLarge', message, { cause: error })
    : new ProblemError(error.code, message, { cause: error });
}

async function* readAll(
  archives: readonly string[],
  limits: UploadLimits,
): AsyncGenerator<TarPart, void, undefined> {
  for (const path of archives) yield* readTar(createReadStream(path), limits);
}

const inContext = (context: string, path: string): string | undefined => {
  if (context === '.') return path;
  return path.startsWith(`${context}/`) ? path.slice(context.length + 1) : undefined;
};

/** `<Dockerfile>.dockerignore` wins over the context's `.dockerignore`, as in BuildKit. */
const ignoreFiles = ({ dockerfilePath, contextPath }: ContextPaths): string[] => [
  `${dockerfilePath}.dockerignore`,
  contextPath === '.' ? '.dockerignore' : `${contextPath}/.dockerignore`,
];

async function readIgnore(parts: AsyncIterable<TarPart>, paths: ContextPaths): Promise<Dockerignore> {
  const names = ignoreFiles(paths);
  const texts = new Map<string, Buffer[]>();
  let reading: Buffer[] | undefined;
  for await (const part of parts) {
    if ('data' in part) {
      // The reader's buffer is its own.
      reading?.push(Buffer.from(part.data));
      continue;
    }
    const { path, type, size } = part.entry;
    reading = names.includes(path) && type === '0' && size <= longestIgnore ? [] : undefined;
    if (reading) texts.set(path, reading);
  }
  const text = names.map((name) => texts.get(name)).find((found) => found !== undefined);
  return dockerignore(dockerignoreLines(text === undefined ? '' : Buffer.concat(text).toString('utf8')));
}

/**
 * Leaves out what the .dockerignore says, before any rule is asked: what does not go along may be as it likes. The Dockerfile
 * and the ignore files themselves always go along, as with a push.
 */
async function* without(
  ignore: Dockerignore,
  parts: AsyncIterable<TarPart>,
  paths: ContextPaths,
): AsyncGenerator<TarPart, void, undefined> {
  const always = new Set([paths.dockerfilePath, ...ignoreFiles(paths)]);
  const isIgnored = judge(ignore);
  let isLeftOut = false;
  for await (const part of parts) {
    if (!('data' in part)) {
      const path = part.entry.path.replace(/\/+$/, '');
      const below = inContext(paths.contextPath, path);
      isLeftOut = !always.has(path) && below !== undefined && below !== '' && isIgnored(below);
    }
    if (!isLeftOut) yield part;
  }
}

/** Asks about paths in any order: what is inherited from a directory is asked for once. */
function judge(ignore: Dockerignore): (path: string) => boolean {
  const known = new Map<string, Inherited>();
  const inheritedIn = (directory: string): Inherited => {
    if (directory === '') return ignore.top;
    const there = known.get(directory);
    if (there) return there;
    const { inherited } = ignore.check(directory, inheritedIn(parentOf(directory)));
    known.set(directory, inherited);
    return inherited;
  };
  return (path) => ignore.check(path, inheritedIn(parentOf(path))).ignored;
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(path.lastIndexOf('/'), 0));
}
