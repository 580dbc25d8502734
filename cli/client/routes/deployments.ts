/** Deployments and the trees that are uploaded for them. */
import type { Readable } from 'node:stream';
import type { CreateDeployment } from '../../../specs/requests.ts';
import type { DeploymentResource, UploadResource } from '../../../specs/resources.ts';
import type { Transport } from '../http.ts';
import { items } from '../pages.ts';
import { path } from '../path.ts';

export function deploymentRoutes(http: Transport) {
  return {
    deployments: (serviceId?: string) =>
      items<DeploymentResource>(http, '/v1/deployments', { service_id: serviceId }),
    deployment: (id: string, signal?: AbortSignal) =>
      http.json<DeploymentResource>('GET', path`/v1/deployments/${id}`, { signal }),
    createDeployment: (json: CreateDeployment) =>
      http.json<DeploymentResource>('POST', '/v1/deployments', { json }),
    stopDeployment: (id: string) =>
      http.json<DeploymentResource>('POST', path`/v1/deployments/${id}/stop`, { json: {} }),
    /** Sends a tar.zst archive. The node answers only once it has checked all of it. */
    upload: (serviceId: string, stream: Readable, signal: AbortSignal) =>
      http.json<UploadResource>('POST', path`/v1/services/${serviceId}/uploads`, {
        stream,
        signal,
        headers: { 'content-type': 'application/zstd' },
        answerTimeout: 600_000,
      }),
  };
}
