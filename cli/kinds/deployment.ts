/** Deployments, as `svc get` and `svc describe` show them. */
import type { DeploymentResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { CliError, ExitCode, usageError } from '../errors.ts';
import { findService } from '../target.ts';
import { quoted } from '../words.ts';
import { receiptFacts } from '../rollout/receipt.ts';
import { deploymentColumns, replicaLines } from './deployment-lines.ts';
import { eventsSection } from './event.ts';
import type { Kind, Scope, Section } from './kind.ts';
import { conditionsSection, facts, moment } from './sections.ts';

export const deploymentKind: Kind<DeploymentResource> = {
  singular: 'deployment',
  plural: 'deployments',
  aliases: ['deploy', 'deploys', 'dep'],
  ofService: true,
  columns: (now) => [
    ...deploymentColumns(now),
    { header: 'SERVICE', cell: (deployment) => deployment.service_id, wide: true },
    { header: 'IMAGE', cell: ({ image }) => image ?? '', wide: true },
    { header: 'DIGEST', cell: ({ digest }) => digest ?? '', wide: true },
    { header: 'COMMIT', cell: ({ commit }) => commit?.slice(0, 12) ?? '', wide: true },
    { header: 'MESSAGE', cell: ({ message }) => message.split('\n')[0] ?? '', wide: true },
  ],
  name: ({ id }) => id,
  list: listDeployments,
  describe: describeDeployment,
};

/** By id anywhere; by number within a service. */
async function listDeployments(
  client: Client,
  { project, service, name }: Scope,
): Promise<DeploymentResource[]> {
  if (name?.startsWith('dep_') === true) return [await client.deployment(name)];
  if (service !== undefined) {
    const { id } = await findService(client, service, project);
    const all = await client.deployments(id);
    return name === undefined ? all : [deploymentNamed(all, name)];
  }
  if (name !== undefined)
    throw usageError(`Deployment ${name} of which service?`, 'Name it with -s PROJECT/SERVICE.');
  const all = await client.deployments();
  if (project === undefined) return all;
  const services = new Set((await client.services({ project })).map(({ id }) => id));
  return all.filter((deployment) => services.has(deployment.service_id));
}

/** The deployment of a service that a user names by its id or its number. Throws `not found`. */
export function deploymentNamed(
  deployments: readonly DeploymentResource[],
  name: string,
): DeploymentResource {
  const found = deployments.find(
    ({ id, number }) => id === name || String(number) === name.replace(/^#/, ''),
  );
  if (found !== undefined) return found;
  throw new CliError(ExitCode.notFound, `The service has no deployment "${name}".`, {
    next: 'See which there are: svc rollout history PROJECT/SERVICE',
  });
}

async function describeDeployment(
  client: Client,
  deployment: DeploymentResource,
  now: number,
): Promise<Section[]> {
  const [service, events] = await Promise.all([
    client.service(deployment.service_id),
    client.events({ service_id: deployment.service_id }, 200),
  ]);
  const own = new Set([deployment.id, ...deployment.replicas.map(({ id }) => id)]);
  return [
    facts({
      Number: String(deployment.number),
      Id: deployment.id,
      Service: `${service.project}/${service.name}`,
      Created: moment(deployment.created_at, now),
      Status: `${deployment.status} (${deployment.reason})`,
      Message: deployment.message,
      Promoted: deployment.promoted ? `yes, since ${moment(deployment.promoted_at, now)}` : 'no',
      ...(deployment.watched_until !== null && {
        Watched: `until ${deployment.watched_until}; taken back should it fail`,
      }),
      ...(deployment.receipt !== null && { Receipt: receiptFacts(deployment.receipt) }),
      Source: sourceLine(deployment.source),
      ...(deployment.commit !== null && { Commit: deployment.commit }),
      ...(deployment.reuse !== null && {
        Release: `changed configuration, image of deployment ${deployment.reuse}`,
      }),
      Image: deployment.image ?? 'none',
      ...(deployment.digest !== null && { Digest: deployment.digest }),
      ...(deployment.command !== null && { Command: quoted(deployment.command) }),
    }),
    conditionsSection(deployment.conditions, now),
    { title: 'Replicas', lines: replicaLines(deployment, now) },
    eventsSection(
      events.filter(({ object }) => own.has(object)),
      now,
    ),
  ];
}

function sourceLine(source: DeploymentResource['source']): string {
  if ('image' in source) return `image ${source.image}`;
  if ('git' in source) {
    const { repo_url: url, git_ref: ref, dockerfile_path: dockerfile, context_path: context } = source.git;
    return `git ${url} at ${ref}, Dockerfile ${dockerfile}, context ${context}`;
  }
  const { upload_id: id, dockerfile_path: dockerfile, context_path: context } = source.upload;
  return `upload ${id}, Dockerfile ${dockerfile}, context ${context}`;
}
