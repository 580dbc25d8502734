/**
 * Which files a push holds: walks the build context once, asking git's rules and Docker's at every step, and adds the
 * Dockerfile. Reads ignore files, names and sizes; no other contents.
 */
import { readdirSync, type Dirent } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { collection, type Collection } from './collection.ts';
import {
  dockerignore,
  dockerignoreLines,
  type Dockerignore,
  type Inherited,
} from '../../specs/dockerignore.ts';
import type { Entry } from './entry.ts';
import { errorCode, PackError } from './error.ts';
import type { GitOptions } from './git.ts';
import type { GitRules } from './gitignore.ts';
import type { Target } from './target.ts';
import { noWorkingTree, withGitignore, workingTreeOf, type WorkingTree } from './working-tree.ts';

export interface Plan {
  /** In the order of the archive. */
  readonly entries: readonly Entry[];
  readonly files: number;
  /** Sum of the sizes of the files. */
  readonly bytes: number;
}

export interface ScanOptions extends GitOptions {
  readonly warn: (message: string) => void;
}

/** A directory to visit. Paths are relative to the context: `''` or `a/b`. */
interface Visit {
  readonly path: string;
  readonly tree: WorkingTree;
  /** The path's beginning that the tree's own paths do not have: `''` or `vendor/lib/`. */
  readonly at: string;
  readonly rules: GitRules;
  /** Only what is tracked counts below here. */
  readonly gitIgnored: boolean;
  /** Only what a `!` pattern takes back in counts below here. */
  readonly dockerIgnored: boolean;
  readonly inherited: Inherited;
}

interface Walk {
  readonly context: string;
  readonly docker: Dockerignore;
  readonly options: ScanOptions;
  /** @param path relative to the context */
  readonly take: (path: string) => void;
}

function list(directory: string, visit: Visit): Dirent[] {
  try {
    return readdirSync(directory, { withFileTypes: true });
  } catch (error) {
    const code = errorCode(error);
    if (code === 'ENOENT' || (visit.dockerIgnored && code === 'EACCES')) return [];
    const hint = 'Make it readable, or list it in .dockerignore.';
    throw new PackError(`Cannot read the directory ${directory}: ${String(error)}`, hint, { cause: error });
  }
}

/** The path of something below a visit as its working tree names it. */
const inTree = (visit: Visit, path: string): string => visit.tree.prefix + path.slice(visit.at.length);

async function openTree(walk: Walk, directory: string): Promise<WorkingTree | undefined> {
  const tree = await workingTreeOf(directory, walk.options);
  if (tree?.blind === true) {
    walk.options.warn(
      `git is not installed: what is tracked in ${directory} although an ignore rule names it is left out.`,
    );
  }
  return tree;
}

/** Takes in what a directory itself says: a repository of its own (a submodule, a clone), its .gitignore. */
async function enter(walk: Walk, visit: Visit, children: readonly Dirent[]): Promise<Visit> {
  if (visit.gitIgnored) return visit;
  const holds = (name: string): boolean => children.some((child) => child.name === name);
  const directory = join(walk.context, visit.path);
  let entered = visit;
  if (visit.path !== '' && holds('.git')) {
    const tree = await openTree(walk, directory);
    if (tree?.prefix === '') entered = { ...visit, tree, at: `${visit.path}/`, rules: tree.rules };
  }
  if (!holds('.gitignore')) return entered;
  const own = visit.path === '' ? visit.tree.prefix : inTree(entered, `${visit.path}/`);
  return { ...entered, rules: await withGitignore(entered.rules, directory, own.replace(/\/$/, '')) };
}

/** One child: taken, left out, or (a directory) to be visited. */
function decide(walk: Walk, visit: Visit, child: Dirent): Visit | undefined {
  const path = visit.path === '' ? child.name : `${visit.path}/${child.name}`;
  const directory = child.isDirectory();
  const own = path.slice(visit.at.length);
  const ruledOut = visit.gitIgnored || visit.rules.ignores(inTree(visit, path) + (directory ? '/' : ''));
  const gitIgnored = ruledOut && !visit.tree.isTracked(own);
  const { ignored: dockerIgnored, inherited } = walk.docker.check(path, visit.inherited);
  if (!gitIgnored && !dockerIgnored) walk.take(path);
  if (!directory) return undefined;
  if (gitIgnored && !visit.tree.holdsTracked(own)) return undefined;
  if (dockerIgnored && !walk.docker.mayReinclude(path)) return undefined;
  return { ...visit, path, gitIgnored, dockerIgnored, inherited };
}

async function walkContext(walk: Walk): Promise<void> {
  const tree = (await openTree(walk, walk.context)) ?? noWorkingTree;
  const start = { path: '', tree, at: '', rules: tree.rules, gitIgnored: false, dockerIgnored: false };
  const pending: Visit[] = [{ ...start, inherited: walk.docker.top }];
  let visited = 0;
  for (let visit = pending.pop(); visit !== undefined; visit = pending.pop()) {
    // Reading a directory takes less than asking the thread pool to; the event loop gets its turn now and then.
    if (++visited % 64 === 0) await setImmediate();
    walk.options.signal?.throwIfAborted();
    const children = list(visit.path === '' ? walk.context : `${walk.context}/${visit.path}`, visit);
    const entered = await enter(walk, visit, children);
    for (const child of children) {
      const next = child.name === '.git' ? undefined : decide(walk, entered, child);
      if (next) pending.push(next);
    }
  }
}

/** Text of a .dockerignore; undefined where there is none. */
async function readDockerignore(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined;
    throw new PackError(`Cannot read ${path}: ${String(error)}`, 'Make it a readable file, or remove it.', {
      cause: error,
    });
  }
}

/** `<Dockerfile>.dockerignore` beside the Dockerfile wins over the context's `.dockerignore`, as in BuildKit. */
async function dockerRules(target: Target, found: Collection): Promise<Dockerignore> {
  let text: string | undefined;
  for (const name of [`${target.dockerfile}.dockerignore`, join(target.context, '.dockerignore')]) {
    const own = await readDockerignore(join(target.root, name));
    if (own !== undefined) found.add(name);
    text ??= own;
  }
  return dockerignore(dockerignoreLines(text ?? ''));
}

/**
 * @returns everything that the archive will hold
 * @throws PackError for what cannot be packed, with the path and what to do
 */
export async function scan(target: Target, options: ScanOptions): Promise<Plan> {
  const found = collection(target.root, options.warn);
  found.add(target.dockerfile);
  found.add(target.context);
  const docker = await dockerRules(target, found);
  const take = (path: string): void => {
    found.add(target.context === '.' ? path : `${target.context}/${path}`);
  };
  await walkContext({ context: join(target.root, target.context), docker, options, take });
  const entries = found.finish();
  let files = 0;
  let bytes = 0;
  for (const entry of entries) {
    if (entry.type !== 'file') continue;
    files += 1;
    bytes += entry.size;
  }
  return { entries, files, bytes };
}
