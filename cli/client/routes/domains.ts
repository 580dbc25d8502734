/** Domains of a service. */
import type { CreateDomain } from '../../../specs/requests.ts';
import type { DomainResource } from '../../../specs/resources.ts';
import type { Transport } from '../http.ts';
import { items } from '../pages.ts';
import { path } from '../path.ts';

export function domainRoutes(http: Transport) {
  return {
    domains: (service: string) => items<DomainResource>(http, path`/v1/services/${service}/domains`),
    domain: (service: string, id: string, signal?: AbortSignal) =>
      http.json<DomainResource>('GET', path`/v1/services/${service}/domains/${id}`, { signal }),
    addDomain: (service: string, json: CreateDomain) =>
      http.json<DomainResource>('POST', path`/v1/services/${service}/domains`, { json }),
    /** Answers with the verdict; the node waits half a minute for it at most. */
    verifyDomain: (service: string, id: string) =>
      http.json<DomainResource>('POST', path`/v1/services/${service}/domains/${id}/verify`, { json: {} }),
    removeDomain: (service: string, id: string) =>
      http.json<unknown>('DELETE', path`/v1/services/${service}/domains/${id}`),
  };
}
