/** An LFS server of our own on loopback: https, with a certificate that this process trusts. */
import { createHash } from 'node:crypto';
import type { IncomingHttpHeaders } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';
import { getCACertificates, setDefaultCACertificates } from 'node:tls';
import { makePair } from './certificates.ts';

export interface LfsServer {
  url: string;
  /** Path and headers of every request. */
  requests: { path: string; headers: IncomingHttpHeaders }[];
  /** Keeps a file. @returns the pointer that stands for it */
  keep(content: string): string;
  /** Where files are said to be: `<url>/files/<oid>` unless told otherwise. */
  hrefOf: (oid: string) => string;
  /** What is answered under other paths: a status with headers. */
  answers: Map<string, { status: number; headers: Record<string, string> }>;
}

export async function startLfsServer(t: TestContext): Promise<LfsServer> {
  const { key, chain } = await makePair('localhost', '127.0.0.1');
  const trusted = getCACertificates('default');
  setDefaultCACertificates([...trusted, chain]);
  t.after(() => setDefaultCACertificates(trusted));
  const files = new Map<string, string>();
  const world: LfsServer = {
    url: '',
    requests: [],
    keep(content) {
      const oid = createHash('sha256').update(content).digest('hex');
      files.set(oid, content);
      return `version https://git-lfs.github.com/spec/v1\noid sha256:${oid}\nsize ${Buffer.byteLength(content)}\n`;
    },
    hrefOf: (oid) => `${world.url}/files/${oid}`,
    answers: new Map(),
  };
  const server = createServer({ key, cert: chain }, (request, response) => {
    const path = request.url ?? '';
    world.requests.push({ path, headers: request.headers });
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const special = world.answers.get(path);
      const file = files.get(path.split('/').at(-1) ?? '');
      if (special) response.writeHead(special.status, special.headers).end();
      else if (path.endsWith('/objects/batch'))
        response.end(batch(Buffer.concat(chunks).toString(), files, world.hrefOf));
      else response.writeHead(file === undefined ? 404 : 200).end(file);
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  world.url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return world;
}

/** docs/api/batch.md of git-lfs. */
function batch(body: string, files: ReadonlyMap<string, string>, hrefOf: (oid: string) => string): string {
  const { objects } = JSON.parse(body) as { objects: { oid: string; size: number }[] };
  return JSON.stringify({
    transfer: 'basic',
    objects: objects.map(({ oid, size }) =>
      files.has(oid)
        ? {
            oid,
            size,
            actions: { download: { href: hrefOf(oid), header: { authorization: 'Bearer of-the-file' } } },
          }
        : { oid, size, error: { code: 404, message: 'no such object' } },
    ),
  });
}
