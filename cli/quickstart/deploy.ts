/** An account, a project, a service and the first push, with the same commands that a user types. */
import { randomBytes } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { get } from 'node:http';
import { fileURLToPath } from 'node:url';
import type { Svc } from './client.ts';
import type { Place } from './place.ts';

export const example = fileURLToPath(new URL('../../examples/hello', import.meta.url));

/** @returns how the client is logged in */
export async function ensureAccount(place: Place, svc: Svc): Promise<string> {
  const works = await svc(['get', 'projects']).then(
    () => true,
    () => false,
  );
  if (works) return 'already logged in';
  const password = await readFile(place.password, 'utf8').catch(() => undefined);
  const chosen = password ?? randomBytes(18).toString('base64url');
  await writeFile(place.password, chosen, { mode: 0o600 });
  const bootstrap = password === undefined ? ['--bootstrap'] : [];
  await svc(['auth', '--url', place.apiUrl, '--username', 'admin', '--password-stdin', ...bootstrap], chosen);
  return `user admin, password in ${place.password}`;
}

/** Makes the project and the service unless they are there. @returns how they came to be */
export async function ensureService(svc: Svc): Promise<string> {
  const created: string[] = [];
  if (!(await svc(['get', 'projects', '-o', 'name'])).split('\n').some((line) => line.endsWith('demo'))) {
    await svc(['projects', 'create', 'demo']);
    created.push('project demo');
  }
  if (
    !(await svc(['get', 'services', '-p', 'demo', '-o', 'name']))
      .split('\n')
      .some((line) => line.endsWith('hello'))
  ) {
    await svc(['services', 'create', 'hello', '-p', 'demo', '--port', '8080']);
    created.push('service hello');
  }
  return created.length === 0 ? 'there already' : `created ${created.join(' and ')}`;
}

/**
 * One GET through the ingress. Names under localhost mean this machine (RFC 6761), but not every resolver knows.
 * @returns the answer's status and text
 */
export function fetchThroughIngress(place: Place, host: string): Promise<{ status: number; text: string }> {
  return new Promise((resolve, reject) => {
    const asked = get(
      { host: '127.0.0.1', port: place.httpPort, path: '/', headers: { host } },
      (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => void chunks.push(chunk));
        response.on('error', reject);
        response.on('end', () =>
          resolve({ status: response.statusCode ?? 0, text: Buffer.concat(chunks).toString() }),
        );
      },
    );
    asked.on('error', reject);
  });
}
