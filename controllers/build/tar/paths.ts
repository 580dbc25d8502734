/** Rules for the names inside an archive. Pure, and about text alone: what lies where is the tree's business. */
import type { UploadLimits } from '../limits.ts';

export type PathLimits = Pick<UploadLimits, 'depth' | 'segmentBytes' | 'pathBytes'>;

/** A path as its segments (none for the root), or the rule that it breaks, worded to follow the entry's name. */
export type SplitPath = { segments: string[] } | { rule: string };

/** Control characters (C0, DEL, C1), and the backslash, which is a separator elsewhere. */
const unsafe = /[\u0000-\u001f\u007f-\u009f\\]/;

/** Splits the path of an entry. One leading `./` and one trailing `/` are the same path without them. */
export function splitPath(path: string, limits: PathLimits): SplitPath {
  const rule = textRule(path, limits);
  if (rule !== undefined) return { rule };
  if (path.startsWith('/'))
    return { rule: 'has an absolute path; pack paths relative to the project folder' };
  const trimmed = path.replace(/^\.\//, '').replace(/\/$/, '');
  if (trimmed === '' || trimmed === '.')
    return path === '' ? { rule: 'has an empty name' } : { segments: [] };
  const segments = trimmed.split('/');
  if (segments.length > limits.depth) return { rule: `lies deeper than ${limits.depth} folders` };
  for (const segment of segments) {
    const broken = segmentRule(segment, limits);
    if (broken !== undefined) return { rule: broken };
  }
  if (/^[A-Za-z]:$/.test(segments[0] ?? '')) return { rule: 'begins with a drive letter' };
  if (segments[0] === '.git') return { rule: 'belongs to the .git folder; leave that out' };
  return { segments };
}

function segmentRule(segment: string, limits: PathLimits): string | undefined {
  if (segment === '..') return 'has ".." in its path';
  if (segment === '' || segment === '.') return 'has an empty segment or "." in its path';
  if (Buffer.byteLength(segment) > limits.segmentBytes)
    return `has a name longer than ${limits.segmentBytes} bytes`;
  return undefined;
}

/** What is refused in paths and link targets alike. */
export function textRule(text: string, limits: PathLimits): string | undefined {
  if (unsafe.test(text)) return 'has a control character or a backslash in its name or target';
  if (Buffer.byteLength(text) > limits.pathBytes) return `has a path longer than ${limits.pathBytes} bytes`;
  return undefined;
}
