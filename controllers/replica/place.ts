/** Where a replica's socket is and what its container looks like. Pure. */
import { posix } from 'node:path';
import type { Row } from '../../specs/index.ts';
import { socketMount } from '../../specs/mount-target.ts';
import { revisionOf } from '../../specs/revision.ts';
import type { Upstream } from '../../ingress/index.ts';
import type { Mount, ReplicaContainer } from '../engine/engine.ts';
import { replicaName } from '../engine/names.ts';
import { limitsOf } from '../drift/limits.ts';

const socketName = 'svc.sock';

/** @param socketsDir directory of all replica sockets, which workloads cannot see */
export function upstreamOf(replicaId: string, listen: 'tcp' | 'socket', socketsDir: string): Upstream {
  return listen === 'tcp'
    ? { via: 'bridged', socket: posix.join(socketsDir, `${replicaId}.sock`) }
    : { via: 'direct', socket: posix.join(socketsDir, replicaId, socketName) };
}

export interface Family {
  replica: Row<'Replica'>;
  deployment: Row<'Deployment'>;
  service: Row<'Service'>;
  project: Row<'Project'>;
}

/** Where a container is made. */
export interface Place {
  /** Name of the project's network. */
  network: string;
  nodeId: string;
  /** Directory of all replica sockets. */
  socketsDir: string;
  /** Its volumes and host paths. */
  mounts: readonly Mount[];
}

/**
 * Everything the engine has to know of a replica. The name holds the end of its id, so it is never used twice.
 * @param secrets opened, by name. They go into the environment and nowhere else: not into a label, nor the revision
 */
export function containerOf(
  family: Family,
  secrets: Readonly<Record<string, string>>,
  { network, nodeId, socketsDir, mounts }: Place,
): ReplicaContainer {
  const { replica, deployment, service, project } = family;
  const { workload } = deployment.spec;
  // Limits are changed in place, and a label cannot be.
  const { resources, ...frozen } = workload;
  const env = {
    ...workload.env,
    ...secrets,
    PORT: String(workload.port),
    SVC_PROJECT: project.name,
    SVC_SERVICE: service.name,
    SVC_DEPLOYMENT: deployment.id,
    SVC_REPLICA: replica.id,
    ...(workload.listen === 'socket' ? { SVC_SOCKET: posix.join(socketMount, socketName) } : {}),
  };
  return {
    name: replicaName(family),
    image: replica.spec.image,
    ...(workload.command === undefined ? {} : { command: workload.command }),
    env,
    labels: {
      'svc.node': nodeId,
      'svc.project': project.name,
      'svc.service': service.name,
      'svc.deployment': deployment.id,
      'svc.replica': replica.id,
      'svc.revision': revisionOf({
        workload: frozen,
        image: replica.spec.image,
        address: replica.spec.address,
      }),
    },
    network: { name: network, address: replica.spec.address },
    limits: limitsOf(resources),
    mounts: [
      ...mounts,
      ...(workload.listen === 'socket'
        ? [{ source: posix.join(socketsDir, replica.id), target: socketMount }]
        : []),
    ],
  };
}
