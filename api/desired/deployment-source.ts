/** The source that a deployment is asked for with: exactly one of three, which the fields that are there tell apart. Pure. */
import { parseGitUrl, refFault } from '../../specs/git-source.ts';
import type { DeploymentSource } from '../../specs/deployment.ts';
import { parseImageReference } from '../../specs/image-reference.ts';
import { nearest } from '../../specs/nearest.ts';
import type { Violation } from '../../specs/problem.ts';
import type { CreateDeployment } from '../../specs/requests.ts';
import { sourcePaths } from './source-paths.ts';

/** Field → the source that it belongs to. */
const sourceOfField = { upload_id: 'upload', repo_url: 'git', git_ref: 'git', image: 'image' } as const;

/** A hostile body may have as many as it has bytes. */
const mostNames = 100;

const choices = 'upload_id, repo_url with git_ref, or image';

/**
 * What is wrong with a body that names no source, or more than one: a schema can only say that no shape fits.
 * @param body JSON, as it came
 */
export function sourceFaults(body: unknown): Violation[] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const fields = Object.keys(sourceOfField) as (keyof typeof sourceOfField)[];
  const named = fields.filter((name) => name in body);
  const kinds = new Set(named.map((name) => sourceOfField[name]));
  if (kinds.size === 1) return [];
  if (kinds.size > 1) {
    const message = `names more than one source (${named.join(', ')}): send only one of ${choices}`;
    return [{ path: '', message }];
  }
  const meant = Object.keys(body)
    .slice(0, mostNames)
    .flatMap((name) => {
      const field = nearest(name.slice(0, 64), fields);
      return field === undefined
        ? []
        : [{ path: `/${name}`, message: `is unknown here; did you mean ${field}?` }];
    });
  return meant.length > 0 ? meant : [{ path: '', message: `names no source: send ${choices}` }];
}

/** The source as it is kept, and everything that is wrong with it. That an upload is there is for the caller to see. */
export function sourceOf(body: CreateDeployment): { source: DeploymentSource; violations: Violation[] } {
  if ('image' in body) {
    const parsed = parseImageReference(body.image);
    const violations = 'fault' in parsed ? [{ path: '/image', message: parsed.fault }] : [];
    return { source: { image: body.image }, violations };
  }
  const { violations, paths } = sourcePaths(body.dockerfile_path, body.context_path);
  if ('upload_id' in body) return { source: { upload: { upload_id: body.upload_id, ...paths } }, violations };
  const { repo_url, git_ref } = body;
  const parsed = parseGitUrl(repo_url);
  if ('fault' in parsed) violations.push({ path: '/repo_url', message: parsed.fault });
  const fault = refFault(git_ref);
  if (fault !== undefined) violations.push({ path: '/git_ref', message: fault });
  return { source: { git: { repo_url, git_ref, ...paths } }, violations };
}
