/**
 * Which certificates there should be. Pure. One for each hostname of a service with TLS, verified or not: the certificate's
 * own controller says what it waits for.
 */
import type { CertificateSpec } from '../../specs/certificate.ts';
import type { Row } from '../../specs/index.ts';
import type { Observed } from './observe.ts';
import type { Step, Wish } from './steps.ts';

export interface CertificateSettings {
  /** Services are also served at `<service>.<project>.<this>`. */
  appsDomain: string | null;
  controlDomain: string | null;
  /** Whether certificates are asked for at all. */
  enabled: boolean;
}

export function plan(observed: Observed, settings: CertificateSettings): Step[] {
  const wishes = new Map(wanted(observed, settings).map((wish) => [keyOf(wish.owner, wish.spec), wish]));
  const there = observed.certificates.filter(({ deleted_at: deleted }) => deleted === null);
  const steps: Step[] = [];
  for (const row of there)
    if (!wishes.delete(keyOf(row.owner, row.spec))) steps.push({ do: 'remove', id: row.id });
  // What is left of the wishes is not there.
  for (const wish of wishes.values()) steps.push({ do: 'create', wish });
  return steps;
}

function wanted({ projects, services, domains }: Observed, settings: CertificateSettings): Wish[] {
  const names = new Map(projects.filter(living).map(({ id, name }) => [id, name]));
  const domainsOf = Map.groupBy(domains.filter(living), ({ owner }) => owner);
  const wishes: Wish[] = [];
  const { controlDomain, enabled } = settings;
  const nobody = { domain_id: null, service_id: null, project_id: null };
  if (controlDomain !== null && enabled && isPublic(controlDomain))
    wishes.push({ owner: null, spec: { hostname: controlDomain, ...nobody } });
  for (const service of services) {
    const project = names.get(service.owner ?? '');
    if (project === undefined || !living(service) || !service.spec.tls_enabled) continue;
    const belongs = { service_id: service.id, project_id: service.owner };
    for (const { id, spec } of domainsOf.get(service.id) ?? [])
      wishes.push({ owner: id, spec: { hostname: spec.hostname, domain_id: id, ...belongs } });
    const hostname = appsHost(service.name, project, settings.appsDomain);
    if (hostname !== undefined)
      wishes.push({ owner: service.id, spec: { hostname, domain_id: null, ...belongs } });
  }
  return wishes;
}

function appsHost(service: string, project: string, appsDomain: string | null): string | undefined {
  if (appsDomain === null || !isPublic(appsDomain)) return undefined;
  return `${service}.${project}.${appsDomain}`;
}

/** Names that mean something only here, and that no authority can look up (RFC 6761, 6762; ICANN's .internal). */
function isPublic(name: string): boolean {
  return name.includes('.') && !/(^|\.)(localhost|local|internal|home\.arpa)$/.test(name);
}

function living({ deleted_at: deleted }: Row<'Project' | 'Service' | 'Domain'>): boolean {
  return deleted === null;
}

function keyOf(owner: string | null, { hostname }: CertificateSpec): string {
  return `${owner ?? ''} ${hostname}`;
}
