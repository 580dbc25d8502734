/** Small apps to push: a folder with a Dockerfile and a manifest, in a temporary directory. */
import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';

export interface App {
  dir: string;
  write(path: string, content: string, mode?: number): Promise<void>;
  remove(): Promise<void>;
}

/** Serves `www/` on $PORT. */
export const serving = [
  'FROM busybox',
  'COPY www /www',
  `CMD ["sh", "-c", "exec httpd -f -p $PORT -h /www"]`,
  '',
].join('\n');

/** @param service `project/service` that it is pushed to */
export async function app(service: string, files: Record<string, string> = {}): Promise<App> {
  const dir = await mkdtemp(join(tmpdir(), 'svc-app-'));
  const made: App = {
    dir,
    async write(path, content, mode = 0o644) {
      await mkdir(dirname(join(dir, path)), { recursive: true });
      await writeFile(join(dir, path), content);
      await chmod(join(dir, path), mode);
    },
    remove: () => rm(dir, { recursive: true, force: true }),
  };
  const [project = '', name = ''] = service.split('/');
  await made.write('.svc', `project = "${project}"\nservice = "${name}"\n`);
  for (const [path, content] of Object.entries(files)) await made.write(path, content);
  return made;
}
