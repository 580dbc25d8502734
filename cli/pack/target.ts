/**
 * What is pushed: the root, the build context in it and the Dockerfile, checked on disk before anything is packed.
 * Reads no contents.
 */
import { lstat, realpath, stat } from 'node:fs/promises';
import { join, relative, resolve } from 'node:path';
import { errorCode, PackError } from './error.ts';

export interface TargetOptions {
  /** `--path`: the pushed tree. Absolute, or relative to the working directory. */
  readonly root: string;
  /** `--context`: the build context, relative to the root. Default `.` */
  readonly context?: string | undefined;
  /** `--dockerfile`, relative to the root. Default `Dockerfile` */
  readonly dockerfile?: string | undefined;
}

export interface Target {
  /** Absolute, without symbolic links. */
  readonly root: string;
  /** `context_path` of the deployment request: `.` or `a/b`. */
  readonly context: string;
  /** `dockerfile_path` of the deployment request: `Dockerfile` or `a/b.Dockerfile`. */
  readonly dockerfile: string;
}

/** The real path of something, or undefined where there is nothing. */
async function real(path: string): Promise<string | undefined> {
  try {
    return await realpath(path);
  } catch (error) {
    if (['ENOENT', 'ENOTDIR'].includes(errorCode(error) ?? '')) return undefined;
    throw new PackError(
      `Cannot look at ${path}: ${String(error)}`,
      'Make it readable, or name another path.',
      { cause: error },
    );
  }
}

/** A path inside the root, as it is named in the archive. */
async function inside(root: string, path: string, what: string, flag: string): Promise<string> {
  const named = resolve(root, path);
  const other = `Name another with ${flag} <path below ${root}> (or in the .svc file).`;
  const name = relative(root, named);
  if (name === '..' || name.startsWith('../')) {
    throw new PackError(
      `The ${what} ${named} lies outside of ${root}.`,
      `Push a directory that holds both with --path, or: ${other}`,
    );
  }
  const found = await real(named);
  if (found === undefined) throw new PackError(`There is no ${what} at ${named}.`, `Create it. ${other}`);
  if (found !== named) {
    const hint = `A symbolic link cannot stand for it: name the real path with ${flag}, below ${root}.`;
    throw new PackError(`The ${what} ${named} is really ${found}.`, hint);
  }
  return name === '' ? '.' : name;
}

/**
 * @returns the three paths as the deployment request names them
 * @throws PackError that says which path was looked at and how to name another
 */
export async function resolveTarget(options: TargetOptions): Promise<Target> {
  const named = resolve(options.root);
  const root = await real(named);
  if (root === undefined || !(await stat(root)).isDirectory()) {
    throw new PackError(`There is no directory ${named}.`, 'Name the tree to push with --path.');
  }
  const context = await inside(root, options.context ?? '.', 'build context', '--context');
  if (!(await stat(join(root, context))).isDirectory()) {
    throw new PackError(
      `The build context ${join(root, context)} is not a directory.`,
      'Name a directory with --context.',
    );
  }
  const dockerfile = await inside(root, options.dockerfile ?? 'Dockerfile', 'Dockerfile', '--dockerfile');
  if (!(await lstat(join(root, dockerfile))).isFile()) {
    const hint = `Name the file with --dockerfile, a path below ${root}.`;
    throw new PackError(`The Dockerfile ${join(root, dockerfile)} is not a regular file.`, hint);
  }
  return { root, context, dockerfile };
}
