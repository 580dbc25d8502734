/** What a node keeps on its disk beside the store, by name. */
export class Disk {
  /** Ids of archives that are staged. */
  readonly uploads = new Set<string>();
  /** Of deployments, and of workloads by service and deployment. */
  readonly logs = new Set<string>();
  /** Replicas that own a directory for their socket. */
  readonly sockets = new Set<string>();
}

export const deploymentLog = (deploymentId: string): string => `deployments/${deploymentId}`;
export const runLog = (runId: string): string => `runs/${runId}`;
export const workloadLog = (serviceId: string, deploymentId = ''): string =>
  `workloads/${serviceId}/${deploymentId}`;
