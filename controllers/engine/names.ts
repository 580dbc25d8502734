/** What our things are called at the engine: deterministic, so that a pass after a crash finds what it made. Pure. */
import type { Row } from '../../specs/index.ts';

/**
 * Name of a project's network: unique per node, so that two nodes can share an engine, and per project, so that a project
 * does not have to wait until the network of a deleted one of its name is gone.
 */
export function networkName(nodeId: string, { id, name }: Pick<Row<'Project'>, 'id' | 'name'>): string {
  return `svc-${nodeId.slice(-8)}-${name}-${id.slice(-8)}`;
}

/** The tag under which the engine keeps a deployment's image. */
export function imageTag(deployment: Pick<Row<'Deployment'>, 'id' | 'spec'>): string {
  return `svc/${deployment.spec.service_id.replace('_', '-')}:${deployment.id.replace('_', '-')}`;
}
