/**
 * A Git host over https on loopback: `git http-backend`, which is what many a host runs, behind TLS with a certificate of
 * an authority that is made here. It serves bare repositories to everybody, or misbehaves where a test says so.
 */
import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { makePrivatePair } from './certificates.ts';
import { commitTo, git, type CommitOptions } from './git-repository.ts';

/** @param serve answers as the host should */
export type Misbehaviour = (request: IncomingMessage, response: ServerResponse, serve: () => void) => void;

export interface GitHttpsHost {
  port: number;
  /** File with the certificate of its authority, in PEM. */
  authority: string;
  /** @param host name or address that it is asked under */
  url(name: string, host?: string): string;
  /** Makes a bare repository, or adds a commit to it. @returns the commit */
  commit(name: string, files: Readonly<Record<string, string>>, options?: CommitOptions): Promise<string>;
  /** Runs git in a bare repository. */
  git(name: string, args: readonly string[]): Promise<string>;
  /** What it does with requests for a repository of this name; nothing: it serves it. */
  behave(name: string, misbehaviour?: Misbehaviour): void;
  stop(): Promise<void>;
}

export async function startGitHttpsHost(): Promise<GitHttpsHost> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-git-https-'));
  const { key, chain, authority } = await makePrivatePair('localhost', '127.0.0.1');
  await writeFile(join(dir, 'authority.pem'), authority);
  const wrongs = new Map<string, Misbehaviour>();
  const server = createServer({ key, cert: chain }, (request, response) => {
    const name = /^\/([^/]+)\.git(?:\/|$)/.exec(request.url ?? '')?.[1] ?? '';
    const well = (): void => serve(dir, request, response);
    const wrong = wrongs.get(name);
    if (wrong) wrong(request, response, well);
    else well();
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    port,
    authority: join(dir, 'authority.pem'),
    url: (name, host = '127.0.0.1') => `https://${host}:${port}/${name}.git`,
    commit: (name, files, options) => commitTo(join(dir, `${name}.git`), files, options),
    git: (name, args) => git(join(dir, `${name}.git`), args),
    behave(name, wrong) {
      if (wrong) wrongs.set(name, wrong);
      else wrongs.delete(name);
    },
    async stop() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
      await rm(dir, { recursive: true, force: true });
    },
  };
}

/** One request by CGI (RFC 3875), as git-http-backend(1) wants it. */
function serve(root: string, request: IncomingMessage, response: ServerResponse): void {
  const { pathname, search } = new URL(request.url ?? '/', 'https://localhost');
  const header = (name: string): string => String(request.headers[name] ?? '');
  const child = spawn('git', ['http-backend'], {
    env: {
      ...{ PATH: process.env['PATH'], GIT_PROJECT_ROOT: root, GIT_HTTP_EXPORT_ALL: '1' },
      ...{ GIT_CONFIG_NOSYSTEM: '1', GIT_CONFIG_GLOBAL: '/dev/null' },
      ...{ PATH_INFO: pathname, QUERY_STRING: search.slice(1), REQUEST_METHOD: request.method },
      ...{ CONTENT_TYPE: header('content-type'), HTTP_CONTENT_ENCODING: header('content-encoding') },
      GIT_PROTOCOL: header('git-protocol'),
    },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdin.on('error', () => undefined);
  request.pipe(child.stdin);
  const chunks: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
  child.on('close', () => answer(Buffer.concat(chunks), response));
}

function answer(output: Buffer, response: ServerResponse): void {
  const end = output.indexOf('\r\n\r\n');
  const fields = output
    .subarray(0, end)
    .toString()
    .split('\r\n')
    .map((line) => /^([^:]+): *(.*)$/.exec(line)?.slice(1) ?? []);
  const { Status: status = '200', ...headers } = Object.fromEntries(fields) as Record<string, string>;
  response.writeHead(Number.parseInt(status, 10), headers).end(output.subarray(end + 4));
}
