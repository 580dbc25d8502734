/**
 * Fetches what a repository keeps in Git LFS: finds the pointers in its archive, asks its LFS server for the files (git-lfs,
 * docs/api/batch.md), and keeps each under its checksum once that is proved. No git-lfs is run: it connects to any address
 * that a server names, this node's own included, whatever its proxy settings say (measured with 3.3).
 */
import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { GitUrl } from '../../specs/git-source.ts';
import { formatBytes } from '../../specs/bytes.ts';
import { ProblemError } from '../../specs/problem.ts';
import { repositoryLimits } from '../build/limits.ts';
import { readTar } from '../build/tar/check.ts';
import { GitError } from './failure.ts';
import { requestLfs, type LfsHttpDeps } from './lfs-http.ts';
import { mayBePointer, parsePointer, type Pointer } from './lfs-pointer.ts';
import type { Remote } from './remote.ts';

export interface LfsDeps extends LfsHttpDeps {
  /** Directory of the files, by checksum. */
  objects: string;
  limits: { bytes: number };
  onLine: (line: string) => void;
}

/** Files that are asked for at once, and that are fetched at once. */
const batchSize = 100;
const parallel = 4;
/** Bytes of an answer that lists them. */
const longestAnswer = 4 * 2 ** 20;

/** Does nothing for a repository without pointers. Throws GitError. */
export async function fetchLfs(archive: string, remote: Remote, deps: LfsDeps): Promise<void> {
  const pointers = await pointersIn(archive);
  if (pointers.length === 0) return;
  const bytes = pointers.reduce((sum, { size }) => sum + size, 0);
  if (bytes > deps.limits.bytes) {
    const message = `The repository has more than ${formatBytes(deps.limits.bytes)} in LFS: make it smaller.`;
    throw new GitError('CloneTooLarge', message);
  }
  deps.onLine(
    `Fetching ${pointers.length} LFS ${pointers.length === 1 ? 'file' : 'files'}, ${formatBytes(bytes)}`,
  );
  await mkdir(deps.objects, { recursive: true, mode: 0o700 });
  const server = await serverOf(remote);
  for (let at = 0; at < pointers.length; at += batchSize) {
    const queue = await locate(pointers.slice(at, at + batchSize), server, deps);
    const worker = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) await download(next, deps);
    };
    await Promise.all(Array.from({ length: parallel }, worker));
  }
}

/** Each file once. */
async function pointersIn(archive: string): Promise<Pointer[]> {
  const found = new Map<string, Pointer>();
  let content: Buffer[] | undefined;
  const look = (): void => {
    const pointer = content && parsePointer(Buffer.concat(content));
    if (pointer) found.set(pointer.oid, pointer);
  };
  try {
    for await (const part of readTar(createReadStream(archive), repositoryLimits)) {
      if ('data' in part) content?.push(Buffer.from(part.data));
      else {
        look();
        content = part.entry.type === '0' && mayBePointer(part.entry.size) ? [] : undefined;
      }
    }
  } catch (error) {
    // A name that is not taken: the build, which reads it with the same reader, refuses it in words about a repository.
    if (!(error instanceof ProblemError)) throw error;
  }
  look();
  return [...found.values()];
}

interface Server {
  url: string;
  headers: Record<string, string>;
}

/** By ssh the host says where its server is and who we are (docs/api/server-discovery.md). */
async function serverOf(remote: Remote): Promise<Server> {
  if (remote.git.transport === 'https') return { url: httpsServer(remote.git), headers: {} };
  const answer = await remote.lfsAuthenticate().catch((error: unknown) => {
    throw error instanceof GitError && error.reason === 'CloneFailed' ? noServer(remote.git, error) : error;
  });
  try {
    const { href, header = {} } = JSON.parse(answer) as { href?: unknown; header?: unknown };
    if (typeof href === 'string') return { url: href.replace(/\/+$/, ''), headers: headersIn(header) };
  } catch (cause) {
    throw noServer(remote.git, cause);
  }
  throw noServer(remote.git);
}

function httpsServer({ url }: GitUrl): string {
  const repository = url.replace(/\/+$/, '');
  return `${repository}${repository.endsWith('.git') ? '' : '.git'}/info/lfs`;
}

function noServer({ host }: GitUrl, cause?: unknown): GitError {
  const message = `The repository keeps files in LFS, and ${host} does not say where its LFS server is.`;
  return new GitError('CloneFailed', message, { cause });
}

interface Located extends Pointer {
  href: string;
  headers: Record<string, string>;
}

async function locate(pointers: readonly Pointer[], server: Server, deps: LfsDeps): Promise<Located[]> {
  const type = 'application/vnd.git-lfs+json';
  const body = JSON.stringify({ operation: 'download', transfers: ['basic'], objects: pointers });
  const headers = { ...server.headers, accept: type, 'content-type': type };
  const text = await requestLfs(
    { method: 'POST', url: `${server.url}/objects/batch`, headers, body },
    deps,
    textOf,
  );
  const actions = actionsIn(text);
  return pointers.map((pointer) => {
    const action = actions.get(pointer.oid);
    if (action !== undefined) return { ...pointer, ...action };
    throw new GitError(
      'CloneFailed',
      `The LFS server has no file ${pointer.oid.slice(0, 12)}…, which the repository refers to: push it with git lfs push.`,
    );
  });
}

interface Listed {
  oid?: unknown;
  actions?: { download?: { href?: unknown; header?: unknown } };
}

/** Checksum → where the file is. */
function actionsIn(text: string): Map<string, Pick<Located, 'href' | 'headers'>> {
  const found = new Map<string, Pick<Located, 'href' | 'headers'>>();
  let listed: unknown;
  try {
    listed = (JSON.parse(text) as { objects?: unknown } | null)?.objects;
  } catch (cause) {
    throw new GitError('CloneFailed', 'The LFS server answers with something that is no JSON.', { cause });
  }
  for (const one of Array.isArray(listed) ? (listed as (Listed | null)[]) : []) {
    const download = one?.actions?.download;
    if (typeof one?.oid === 'string' && typeof download?.href === 'string')
      found.set(one.oid, { href: download.href, headers: headersIn(download.header) });
  }
  return found;
}

function headersIn(header: unknown): Record<string, string> {
  const entries = typeof header === 'object' && header !== null ? Object.entries(header) : [];
  return Object.fromEntries(
    entries.filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

async function textOf(body: AsyncIterable<Buffer>): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    size += chunk.length;
    if (size > longestAnswer) throw new GitError('CloneFailed', 'The LFS server answers without end.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Under its name only once it is what the repository says it is. */
async function download({ oid, size, href, headers }: Located, deps: LfsDeps): Promise<void> {
  const part = join(deps.objects, `${oid}.part`);
  await requestLfs({ method: 'GET', url: href, headers }, deps, async (body) => {
    const hash = createHash('sha256');
    let bytes = 0;
    const checked = async function* (): AsyncGenerator<Buffer> {
      for await (const chunk of body) {
        bytes += chunk.length;
        if (bytes > size) break;
        hash.update(chunk);
        yield chunk;
      }
    };
    await pipeline(checked, createWriteStream(part, { mode: 0o600 }), { signal: deps.signal });
    if (bytes !== size || hash.digest('hex') !== oid)
      throw new GitError(
        'CloneFailed',
        `The LFS server gave out another file for ${oid.slice(0, 12)}… than the repository refers to.`,
      );
  });
  await rename(part, join(deps.objects, oid));
}
