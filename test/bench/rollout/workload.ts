/** A workload that takes any load which the ingress can pass on: nginx, as Debian has it, in an image of the test's own. */
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { takeProgram } from '../../support/packages.ts';
import { timed } from '../push/process.ts';

const image = 'svc-bench-nginx';

const configuration = `daemon off; pid /tmp/pid; user root; worker_processes 1; error_log stderr crit;
events { worker_connections 16384; }
http {
  access_log off; keepalive_requests 1000000; client_body_temp_path /tmp/b; proxy_temp_path /tmp/p;
  fastcgi_temp_path /tmp/f; uwsgi_temp_path /tmp/u; scgi_temp_path /tmp/s;
  server { listen 8080 backlog=16384; root /www; }
}
`;

/** What a pushed tree needs beside `www/index.html`. */
export const dockerfile = `FROM ${image}\nCOPY www /www\n`;

/** @returns a function that removes the image again */
export async function ensureNginx(endpoint: string): Promise<() => Promise<void>> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-bench-'));
  const docker = (...args: string[]) =>
    timed('docker', { args, env: { ...process.env, DOCKER_HOST: endpoint } });
  try {
    const root = join(dir, 'root');
    await takeProgram('nginx', root);
    await mkdir(join(root, 'etc'), { recursive: true });
    await writeFile(join(root, 'etc/nginx.conf'), configuration);
    const lines = [
      'FROM busybox',
      'COPY root /',
      'CMD ["/bin/nginx", "-e", "stderr", "-c", "/etc/nginx.conf"]',
      '',
    ];
    await writeFile(join(dir, 'Dockerfile'), lines.join('\n'));
    await docker('build', '--tag', image, dir);
  } finally {
    await rm(dir, { recursive: true });
  }
  return async () => {
    await docker('rmi', '--force', image);
  };
}
