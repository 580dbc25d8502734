/** Programs of the machine that tests need: installed from Debian's packages when they are missing, and taken along into images. */
import { execFile } from 'node:child_process';
import { copyFile, mkdir } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const exec = promisify(execFile);

export async function installPackage(name: string): Promise<void> {
  const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' };
  const wait = ['-o', 'DPkg::Lock::Timeout=300'];
  const installing = () =>
    exec('apt-get', [...wait, 'install', '-y', '--no-install-recommends', name], { env });
  await installing().catch(async () => {
    // Lists of packages that are missing or old.
    await exec('apt-get', [...wait, 'update'], { env });
    await installing();
  });
}

/**
 * Copies a program and the shared libraries it needs into a folder that becomes an image's root.
 * @param name of the program and of the package that it is in
 */
export async function takeProgram(name: string, root: string): Promise<void> {
  const find = async () => (await exec('which', [name])).stdout.trim();
  const program = await find().catch(async () => {
    await installPackage(name);
    return find();
  });
  const { stdout } = await exec('ldd', [program]);
  const libraries = stdout.split('\n').flatMap((line) => /(\/\S+) \(0x/.exec(line)?.[1] ?? []);
  for (const [from, to] of [[program, `/bin/${name}`], ...libraries.map((path) => [path, path])] as [
    string,
    string,
  ][]) {
    await mkdir(join(root, dirname(to)), { recursive: true });
    await copyFile(from, join(root, to));
  }
}
