/** Paths of routes, with names and ids of users put into them. */
import { usageError } from '../errors.ts';

/**
 * Each value becomes one segment, escaped. Throws a usage error on one that would not stay one: nothing, `.` and `..`
 * are taken out by whatever resolves a path on the way (RFC 3986, 5.2.4), so that another object would be meant.
 */
export function path(parts: TemplateStringsArray, ...values: string[]): string {
  for (const value of values) {
    if (value === '' || value === '.' || value === '..')
      throw usageError(`"${value}" is nobody's name or id.`);
  }
  return String.raw({ raw: parts }, ...values.map(encodeURIComponent));
}
