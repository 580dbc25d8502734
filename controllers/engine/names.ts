/** What our things are called at the engine: deterministic, so that a pass after a crash finds what it made. Pure. */
import type { Row } from '../../specs/index.ts';

/** Name of a project's network: unique per node, so that two nodes can share an engine. */
export function networkName(nodeId: string, project: Row<'Project'>): string {
  return `svc-${nodeId.slice(-8)}-${project.name}`;
}

/** The tag under which the engine keeps a deployment's image. */
export function imageTag(deployment: Pick<Row<'Deployment'>, 'id' | 'spec'>): string {
  return `svc/${deployment.spec.service_id.replace('_', '-')}:${deployment.id.replace('_', '-')}`;
}
