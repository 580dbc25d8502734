/** The two paths of an upload source. Refused rather than mended, where they could mean something else. Pure. */
import type { Violation } from '../../specs/problem.ts';

/** C0, DEL and C1: nothing that can move a terminal's cursor or end a string. */
const control = /[\u0000-\u001f\u007f-\u009f]/;

/** What is wrong with a path inside the uploaded tree; undefined when nothing is. */
export function pathFault(path: string): string | undefined {
  if (path === '') return 'must not be empty';
  if (path.startsWith('/')) return 'must be relative to the root of the upload';
  if (control.test(path)) return 'must not contain control characters';
  if (path.includes('\\')) return 'must be separated by slashes';
  if (path.split('/').includes('..')) return 'must not contain ".."';
  return undefined;
}

/** The path without `.` and empty parts: `./app//` is `app`, and the root is `.`. */
export function normalisePath(path: string): string {
  return (
    path
      .split('/')
      .filter((part) => part !== '' && part !== '.')
      .join('/') || '.'
  );
}

/** Both paths at once, normalised, or every violation. */
export function sourcePaths(dockerfile = 'Dockerfile', context = '.') {
  const violations: Violation[] = [];
  for (const [path, text] of [
    ['/dockerfile_path', dockerfile],
    ['/context_path', context],
  ] as const) {
    const fault = pathFault(text);
    if (fault !== undefined) violations.push({ path, message: fault });
  }
  const paths = { dockerfile_path: normalisePath(dockerfile), context_path: normalisePath(context) };
  if (violations.length === 0 && (paths.dockerfile_path === '.' || dockerfile.endsWith('/'))) {
    violations.push({ path: '/dockerfile_path', message: 'must name a file' });
  }
  return { violations, paths };
}
