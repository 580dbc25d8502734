/** Where symbolic links lead, judged among the entries of an archive alone, as the server does. Reads nothing. */
import type { Entry } from './entry.ts';

/** Links followed before a path counts as a loop: Linux's limit. A loop leads nowhere, so also not out. */
const maxFollowed = 40;

/**
 * @param name of the link, relative to the root
 * @param target its text
 * @returns whether it leads out of the root, on its own or through other links of the archive
 */
export function leavesRoot(name: string, target: string, entries: ReadonlyMap<string, Entry>): boolean {
  const at = name.split('/').slice(0, -1);
  const ahead = [target];
  let followed = 0;
  for (let path = ahead.pop(); path !== undefined; path = ahead.pop()) {
    if (path.startsWith('/')) return true;
    const [part = '', ...rest] = path.split('/');
    if (rest.length > 0) ahead.push(rest.join('/').replace(/^\/+/, ''));
    if (part === '' || part === '.') continue;
    if (part === '..') {
      if (at.pop() === undefined) return true;
      continue;
    }
    const entry = entries.get([...at, part].join('/'));
    if (entry?.type !== 'symlink') at.push(part);
    else if (++followed > maxFollowed) return false;
    else ahead.push(entry.target);
  }
  return false;
}
