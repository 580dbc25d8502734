/**
 * `npm run build`: the publishable program in `dist/`, plain JavaScript with a package.json of its own and `svc` as its bin.
 * Publish it with `npm publish dist`.
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const root = fileURLToPath(new URL('../../', import.meta.url));
const dist = `${root}dist`;

rmSync(dist, { recursive: true, force: true });
execFileSync(`${root}node_modules/.bin/tsc`, ['-p', `${root}test/config/tsconfig.build.json`], {
  stdio: 'inherit',
});

const { name, version, description, license, type, engines, dependencies } = JSON.parse(
  readFileSync(`${root}package.json`, 'utf8'),
) as Record<string, unknown>;
const bin = { svc: 'cli/main.js' };
const manifest = { name, version, description, license, type, engines, bin, dependencies };
writeFileSync(`${dist}/package.json`, `${JSON.stringify(manifest, null, 2)}\n`);
chmodSync(`${dist}/cli/main.js`, 0o755);
for (const file of ['README.md', 'LICENSE']) copyFileSync(`${root}${file}`, `${dist}/${file}`);
