/** Which replicas are a deployment's own while it takes over from those before. Pure. */
import type { Takeover } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';

/** @returns ids of those that it has, and had since its takeover began: what one has served stays counted when it is gone */
export function ownOf({ own = [], replaced }: Takeover, living: readonly Row<'Replica'>[]): string[] {
  const ids = living.map(({ id }) => id).filter((id) => !replaced.includes(id));
  return [...new Set([...own, ...ids])];
}
