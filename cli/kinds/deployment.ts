/** Deployments, as `svc get` and `svc describe` show them. */
import type { DeploymentResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { CliError, ExitCode, usageError } from '../errors.ts';
import { findService } from '../target.ts';
import { deploymentColumns, replicaLines } from './deployment-lines.ts';
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
    next: 'See: svc get deployments -s PROJECT/SERVICE',
  });
}

async function describeDeployment(
  client: Client,
  deployment: DeploymentResource,
  now: number,
): Promise<Section[]> {
  const service = await client.service(deployment.service_id);
  const { upload } = deployment.source;
  return [
    facts({
      Number: String(deployment.number),
      Id: deployment.id,
      Service: `${service.project}/${service.name}`,
      Created: moment(deployment.created_at, now),
      Status: `${deployment.status} (${deployment.reason})`,
      Message: deployment.message,
      Promoted: deployment.promoted ? `yes, since ${moment(deployment.promoted_at, now)}` : 'no',
      Source: `upload ${upload.upload_id}, Dockerfile ${upload.dockerfile_path}, context ${upload.context_path}`,
      ...(deployment.reuse !== null && {
        Release: `changed configuration, image of deployment ${deployment.reuse}`,
      }),
      Image: deployment.image ?? 'none',
    }),
    conditionsSection(deployment.conditions, now),
    { title: 'Replicas', lines: replicaLines(deployment, now) },
  ];
}
