/**
 * Submodules of a commit, as its `.gitmodules` names them. A stranger wrote that file: its addresses pass the same rules as
 * the repository's own, and git never acts on it by itself (CVE-2018-17456, CVE-2025-48384). Pure.
 */
import { parseGitUrl, type GitUrl } from '../../specs/git-source.ts';
import { GitError } from './failure.ts';

export interface Submodule {
  name: string;
  path: string;
  git: GitUrl;
}

/**
 * Reads `git config --null --list` of a `.gitmodules`. What says `update = none` is left out, as git does.
 * @param base address of the repository that it lies in
 * @throws GitError for an address or a path that is not taken
 */
export function submodulesIn(listing: string, base: GitUrl): Submodule[] {
  const found = new Map<string, Map<string, string>>();
  for (const entry of listing.split('\0')) {
    const end = entry.indexOf('\n');
    const [, name, key] = /^submodule\.(.*)\.([^.]*)$/.exec(entry.slice(0, Math.max(end, 0))) ?? [];
    if (name === undefined || key === undefined) continue;
    found.set(name, (found.get(name) ?? new Map<string, string>()).set(key, entry.slice(end + 1)));
  }
  return [...found].flatMap(([name, values]) => {
    const [path, url] = [values.get('path'), values.get('url')];
    if (path === undefined || url === undefined || values.get('update') === 'none') return [];
    return [submodule(name, path, url, base)];
  });
}

function submodule(name: string, path: string, url: string, base: GitUrl): Submodule {
  const shown = JSON.stringify(name.slice(0, 80));
  if (!isPlainPath(path))
    throw new GitError(
      'CloneFailed',
      `The submodule ${shown} has a path that is not taken: correct it in .gitmodules.`,
    );
  const absolute = /^\.\.?\//.test(url) ? relativeTo(base.url, url) : url;
  const parsed = absolute === undefined ? { fault: 'leads above its host' } : parseGitUrl(absolute);
  if ('fault' in parsed)
    throw new GitError(
      'CloneFailed',
      `The address of the submodule ${shown} ${parsed.fault}: correct it in .gitmodules.`,
    );
  return { name, path, git: parsed.git };
}

/** A path inside the tree that has one meaning. */
function isPlainPath(path: string): boolean {
  const parts = path.split('/');
  return (
    !/[\u0000-\u001f\u007f\\]/.test(path) &&
    !path.startsWith('-') &&
    parts.every((part) => part !== '' && part !== '.' && part !== '..' && part.toLowerCase() !== '.git')
  );
}

/**
 * `../lib.git` beside `https://host/team/app.git` is `https://host/team/lib.git` (gitmodules(5)).
 * @returns undefined where it leads above the root of the host
 */
function relativeTo(base: string, url: string): string | undefined {
  let at = base.replace(/\/+$/, '');
  let rest = url;
  for (;;) {
    if (rest.startsWith('./')) rest = rest.slice(2);
    else if (rest.startsWith('../')) {
      rest = rest.slice(3);
      const parent = /^(.*[^/:])\/+[^/]*$/.exec(at)?.[1] ?? /^([^/]*@[^/:]*:)[^/]+$/.exec(at)?.[1];
      if (parent === undefined || /^(?:https|ssh):?\/*$/.test(parent)) return undefined;
      at = parent;
    } else return at.endsWith(':') ? `${at}${rest}` : `${at}/${rest}`;
  }
}
