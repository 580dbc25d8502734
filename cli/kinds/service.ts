/** Services, as `svc get` and `svc describe` show them. */
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { age } from '../output/age.ts';
import { table } from '../output/table.ts';
import { deploymentColumns, replicaLines } from './deployment-lines.ts';
import { domainColumns } from './domain.ts';
import { eventsSection } from './event.ts';
import type { Deletion, Kind, Section } from './kind.ts';
import { secretListing } from './secret.ts';
import { conditionsSection, facts, moment } from './sections.ts';

export const serviceKind: Kind<ServiceResource> = {
  singular: 'service',
  plural: 'services',
  aliases: ['svc', 'svcs'],
  ofService: false,
  columns: (now) => [
    { header: 'PROJECT', cell: ({ project }) => project },
    { header: 'NAME', cell: ({ name }) => name },
    { header: 'STATUS', cell: serviceState },
    { header: 'REPLICAS', cell: ({ replicas }) => String(replicas) },
    { header: 'AGE', cell: ({ created_at: at }) => age(at, now) },
    { header: 'URL', cell: ({ urls }) => urls.join(' ') },
    { header: 'PORT', cell: ({ port, listen }) => `${port}/${listen}`, wide: true },
    { header: 'PROMOTED', cell: (service) => service.promoted_deployment_id ?? '', wide: true },
    { header: 'ID', cell: ({ id }) => id, wide: true },
  ],
  name: ({ project, name }) => `${project}/${name}`,
  async list(client, { project, name }) {
    if (name?.startsWith('svc_') === true) return [await client.service(name)];
    return client.services({ project, name });
  },
  describe: describeService,
  deletion: serviceDeletion,
};

function serviceDeletion(client: Client, { id, name, project }: ServiceResource): Deletion {
  return {
    name,
    warning: () =>
      `This stops service ${project}/${name} and deletes it with its deployments, domains, secrets and the jobs that run in it. It cannot be undone.`,
    begin: () => client.deleteService(id),
    look: (signal) => client.service(id, signal),
  };
}

/** One word: why it is ready or not, as its controller says. */
export function serviceState({ conditions }: ServiceResource): string {
  return conditions.find(({ type }) => type === 'Ready')?.reason ?? 'Pending';
}

/** The old replicas went on, so that nothing else of the service tells of it. */
function failedRestart(promoted: DeploymentResource | undefined, now: number): Record<string, string> {
  const restarted = promoted?.conditions.find(
    ({ type, status }) => type === 'Restarted' && status === 'False',
  );
  if (restarted === undefined) return {};
  const { reason, message, last_transition_at: at } = restarted;
  return { 'Last restart': `failed ${moment(at, now)}, ${reason}: ${message}` };
}

async function describeService(client: Client, service: ServiceResource, now: number): Promise<Section[]> {
  const { health, resources, release, env } = service;
  const [deployments, secrets, domains, events] = await Promise.all([
    client.deployments(service.id),
    client.secrets(service.id),
    client.domains(service.id),
    client.events({ service_id: service.id }, 100),
  ]);
  const numberOf = (id: string | null) => {
    if (id === null) return 'none';
    const found = deployments.find((deployment) => deployment.id === id);
    return found === undefined ? id : `${found.number} (${id})`;
  };
  const promoted = deployments.find(({ id }) => id === service.promoted_deployment_id);
  return [
    facts({
      Name: service.name,
      Project: service.project,
      Id: service.id,
      Created: moment(service.created_at, now),
      Status: serviceState(service),
      URL: service.urls.join('\n') || 'none',
      Port: `${service.port} (${service.listen})`,
      Health: `GET ${health.path} every ${health.interval}, timeout ${health.timeout}, deadline ${health.deadline}`,
      Replicas: String(service.replicas),
      Resources: `${resources.cpus} cpus, ${resources.memory} memory, ${resources.pids} processes`,
      Release: releaseLine(release),
      TLS: service.tls_enabled ? 'on' : 'off',
      Promoted: numberOf(service.promoted_deployment_id),
      Target: numberOf(service.target_deployment_id),
      Previous: numberOf(service.previous_deployment_id),
      ...failedRestart(promoted, now),
      Environment:
        Object.entries(env)
          .map(([key, value]) => `${key}=${value}`)
          .join('\n') || 'none',
    }),
    {
      title: 'Secrets',
      lines: secrets.length === 0 ? ['none'] : table(secretListing.columns(now), secrets),
    },
    {
      title: 'Domains',
      lines: domains.length === 0 ? ['none'] : table(domainColumns(now), domains),
    },
    conditionsSection(service.conditions, now),
    ...(promoted === undefined ? [] : [{ title: 'Replicas', lines: replicaLines(promoted, now) }]),
    {
      title: 'Deployments',
      lines: deployments.length === 0 ? ['none'] : table(deploymentColumns(now), deployments.slice(0, 10)),
    },
    eventsSection(events, now),
  ];
}

function releaseLine({
  strategy,
  drain,
  keep,
  surge,
  auto_rollback: back,
  bake,
}: ServiceResource['release']): string {
  const watch = back ? `taken back within ${bake} when it does worse` : 'never taken back by itself';
  return `${strategy}, ${watch}, drain ${drain}, surge ${surge}, keep ${keep}`;
}
