/** Services: what should run, and their secrets. */
import type {
  CreateService,
  RollbackService,
  UpdateSecrets,
  UpdateService,
} from '../../../specs/requests.ts';
import type { ServiceMetrics } from '../../../specs/metrics.ts';
import type { SecretResource, ServiceResource } from '../../../specs/resources.ts';
import type { Transport } from '../http.ts';
import { items } from '../pages.ts';
import { path } from '../path.ts';

/** Desired-state writes on a service that take no body. */
type ServiceAction = 'stop' | 'start' | 'restart';

export function serviceRoutes(http: Transport) {
  return {
    /** All that the caller may see, narrowed by a project's name or id and by a service's name. */
    services: (query: { project?: string | undefined; name?: string | undefined } = {}) =>
      items<ServiceResource>(http, '/v1/services', query),
    service: (id: string, signal?: AbortSignal) =>
      http.json<ServiceResource>('GET', path`/v1/services/${id}`, { signal }),
    serviceMetrics: (id: string) => http.json<ServiceMetrics>('GET', path`/v1/services/${id}/metrics`),
    createService: (json: CreateService) => http.json<ServiceResource>('POST', '/v1/services', { json }),
    updateService: (id: string, json: UpdateService) =>
      http.json<ServiceResource>('PATCH', path`/v1/services/${id}`, { json }),
    /** Ends only once a controller has taken everything away. */
    deleteService: (id: string) => http.json<unknown>('DELETE', path`/v1/services/${id}`),
    changeService: (id: string, action: ServiceAction) =>
      http.json<ServiceResource>('POST', path`/v1/services/${id}/${action}`, { json: {} }),
    rollbackService: (id: string, json: RollbackService) =>
      http.json<ServiceResource>('POST', path`/v1/services/${id}/rollback`, { json }),

    /** Names and versions; values are never answered. */
    secrets: (id: string) => items<SecretResource>(http, path`/v1/services/${id}/secrets`),
    updateSecrets: (id: string, json: UpdateSecrets) =>
      http.json<unknown>('PATCH', path`/v1/services/${id}/secrets`, { json }),
  };
}
