/** Domains, as `svc get`, `svc describe` and `svc domains list` show them. */
import type { DomainResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { CliError, ExitCode } from '../errors.ts';
import { age } from '../output/age.ts';
import type { Column } from '../output/table.ts';
import { findService } from '../target.ts';
import type { Deletion, Kind, Listing, Scope, Section } from './kind.ts';
import { conditionsSection, facts, moment } from './sections.ts';

export function domainColumns(now: number): Column<DomainResource>[] {
  return [
    { header: 'HOSTNAME', cell: ({ hostname }) => hostname },
    { header: 'STATUS', cell: ({ status }) => status },
    { header: 'CERTIFICATE', cell: ({ certificate }) => certificate?.status ?? 'none' },
    { header: 'CHECKED', cell: ({ checked_at: at }) => (at === null ? 'never' : age(at, now)) },
    { header: 'AGE', cell: ({ created_at: at }) => age(at, now) },
    { header: 'ERROR', cell: ({ last_error: error }) => error ?? '' },
  ];
}

export const domainListing: Listing<DomainResource> = {
  singular: 'domain',
  plural: 'domains',
  columns: (now) => [
    ...domainColumns(now),
    { header: 'SERVICE', cell: ({ service_id: id }) => id, wide: true },
    { header: 'ID', cell: ({ id }) => id, wide: true },
  ],
  name: ({ hostname }) => hostname,
};

export const domainKind: Kind<DomainResource> = {
  ...domainListing,
  aliases: ['dom'],
  ofService: true,
  list: listDomains,
  describe: describeDomain,
  deletion: domainDeletion,
};

/** Of one service, or of every service of the scope. */
async function listDomains(client: Client, { project, service, name }: Scope): Promise<DomainResource[]> {
  const services =
    service === undefined
      ? await client.services({ project })
      : [await findService(client, service, project)];
  const all = (await Promise.all(services.map(({ id }) => client.domains(id)))).flat();
  return name === undefined ? all : all.filter((domain) => isNamed(domain, name));
}

/** The domain of a service that a user names by hostname or id. Throws `not found`. */
export async function findDomain(
  client: Client,
  service: { id: string; name: string; project: string },
  name: string,
): Promise<DomainResource> {
  const found = (await client.domains(service.id)).find((domain) => isNamed(domain, name));
  if (found !== undefined) return found;
  throw new CliError(
    ExitCode.notFound,
    `Service "${service.project}/${service.name}" has no domain "${name}".`,
    { next: `See: svc domains list -s ${service.project}/${service.name}` },
  );
}

/** Hostnames are kept in punycode; whoever types one may write it as it is read. */
function isNamed({ id, hostname }: DomainResource, name: string): boolean {
  return id === name || hostname === name.toLowerCase() || hostname === asciiName(name);
}

function asciiName(name: string): string | undefined {
  return URL.canParse(`http://${name}`) ? new URL(`http://${name}`).hostname.replace(/\.$/, '') : undefined;
}

async function describeDomain(client: Client, domain: DomainResource, now: number): Promise<Section[]> {
  const service = await client.service(domain.service_id);
  const { url, token } = domain.challenge;
  return [
    facts({
      Hostname: domain.hostname,
      Id: domain.id,
      Service: `${service.project}/${service.name}`,
      Created: moment(domain.created_at, now),
      Status: domain.status,
      Error: domain.last_error ?? 'none',
      Verified: moment(domain.verified_at, now),
      Checked: moment(domain.checked_at, now),
      ...certificateFacts(domain.certificate, now),
      Challenge: `${url}\nanswers ${token}`,
    }),
    conditionsSection(domain.conditions, now),
  ];
}

function certificateFacts(certificate: DomainResource['certificate'], now: number): Record<string, string> {
  if (certificate === null) return { Certificate: 'none: its service has TLS off' };
  const { status, message, not_after: until, retry_at: retry } = certificate;
  return {
    Certificate: `${status}: ${message}`,
    ...(until !== null && { 'Certificate ends': moment(until, now) }),
    ...(retry !== null && { 'Certificate tried again': moment(retry, now) }),
  };
}

function domainDeletion(client: Client, { id, hostname, service_id: service }: DomainResource): Deletion {
  return {
    name: hostname,
    warning: () => `This takes ${hostname} away from its service, which is no longer served there.`,
    begin: () => client.removeDomain(service, id),
    look: (signal) => client.domain(service, id, signal),
  };
}
