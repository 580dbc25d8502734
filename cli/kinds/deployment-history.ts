/** Deployments of one service as its history: what each was made of, and whether it can serve again. */
import type { DeploymentResource } from '../../specs/resources.ts';
import { age } from '../output/age.ts';
import type { Listing } from './kind.ts';

export const historyListing: Listing<DeploymentResource> = {
  singular: 'deployment',
  plural: 'deployments',
  name: ({ id }) => id,
  columns: (now) => [
    { header: 'NUMBER', cell: ({ number, promoted, status }) => `${number}${promoted ? mark(status) : ''}` },
    { header: 'STATUS', cell: ({ status }) => status },
    { header: 'SOURCE', cell: shortSource },
    { header: 'AGE', cell: ({ created_at: at }) => age(at, now) },
    { header: 'ROLLBACK', cell: ({ rollback }) => (rollback.possible ? 'yes' : (rollback.reason ?? 'no')) },
    { header: 'ID', cell: ({ id }) => id, wide: true },
    { header: 'IMAGE', cell: ({ image, digest }) => digest ?? image ?? '', wide: true },
    { header: 'REASON', cell: ({ reason }) => reason, wide: true },
  ],
};

/** Of the promoted one: it serves, or would if its service were started. */
function mark(status: DeploymentResource['status']): string {
  return status === 'Stopped' ? ' (served last)' : ' (serving)';
}

/** What tells one from the next at a glance: the commit, the image, or that only the configuration changed. */
function shortSource({ source, reuse, commit }: DeploymentResource): string {
  if (reuse !== null) return 'configuration';
  if ('image' in source) return source.image;
  if ('git' in source) return `${source.git.git_ref}${commit === null ? '' : ` ${commit.slice(0, 10)}`}`;
  return 'upload';
}
