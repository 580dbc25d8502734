/** The version of this program: that of its package. */
import { readFileSync } from 'node:fs';

/** Reads package.json, so call it only where the version is needed. */
export function programVersion(): string {
  const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as {
    version: string;
  };
  return version;
}
