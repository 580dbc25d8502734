/** Projects, as `svc get` and `svc describe` show them. */
import type { ProjectResource, ServiceResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { CliError, ExitCode } from '../errors.ts';
import { age } from '../output/age.ts';
import { table, type Column } from '../output/table.ts';
import { deployKeyFacts } from './deploy-key.ts';
import { eventsSection } from './event.ts';
import { registryListing } from './image-registry.ts';
import type { Deletion, Kind, Section } from './kind.ts';
import { memberListing } from './member.ts';
import { conditionsSection, facts, moment } from './sections.ts';
import { serviceState } from './service.ts';

export const projectKind: Kind<ProjectResource> = {
  singular: 'project',
  plural: 'projects',
  aliases: ['proj', 'prj', 'po'],
  ofService: false,
  columns: (now) => [
    { header: 'NAME', cell: ({ name }) => name },
    { header: 'AGE', cell: ({ created_at: at }) => age(at, now) },
    { header: 'ID', cell: ({ id }) => id, wide: true },
  ],
  name: ({ name }) => name,
  async list(client, scope) {
    const projects = await client.projects();
    const wanted = scope.name ?? scope.project;
    return wanted === undefined
      ? projects
      : projects.filter(({ id, name }) => name === wanted || id === wanted);
  },
  describe: describeProject,
  deletion: projectDeletion,
};

async function describeProject(client: Client, project: ProjectResource, now: number): Promise<Section[]> {
  const { id } = project;
  const [services, members, registries, key, events] = await Promise.all([
    client.services({ project: id }),
    ifAllowed(client.members(id)),
    ifAllowed(client.registries(id)),
    ifAllowed(client.deployKey(id)),
    // Its own only: those of its services are with them.
    client.events({ kind: 'Project', id }, 100),
  ]);
  return [
    facts({ Name: project.name, Id: id, Created: moment(project.created_at, now) }),
    conditionsSection(project.conditions, now),
    { title: 'Services', lines: services.length === 0 ? ['none'] : serviceLines(services) },
    section('Members', members, (list) => rows(memberListing.columns(now), list)),
    section('Registries', registries, (list) => rows(registryListing.columns(now), list)),
    section('Deploy key', key, (found) => deployKeyFacts(found, now).lines),
    eventsSection(events, now),
  ];
}

/** What a part of a project is, where there is any and the user may see it. */
async function ifAllowed<T>(answer: Promise<T>): Promise<T | 'none' | 'hidden'> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof CliError && error.code === 'forbidden') return 'hidden';
    if (error instanceof CliError && error.exitCode === ExitCode.notFound) return 'none';
    throw error;
  }
}

function section<T>(title: string, found: T | 'none' | 'hidden', lines: (found: T) => string[]): Section {
  if (found === 'hidden') return { title, lines: ['not shown: your role is too low'] };
  return { title, lines: found === 'none' ? ['none'] : lines(found) };
}

function rows<T>(columns: readonly Column<T>[], items: readonly T[]): string[] {
  return items.length === 0
    ? ['none']
    : table(
        columns.filter(({ wide }) => wide !== true),
        items,
      );
}

/** How a project is deleted. */
export function projectDeletion(client: Client, { id, name }: ProjectResource): Deletion {
  return {
    name,
    warning: (cascade) =>
      `This deletes project ${name} with ${cascade ? 'all of its services and jobs, ' : ''}its members, registries and deploy key. It cannot be undone.`,
    begin: (cascade) =>
      client.deleteProject(id, cascade).catch((error: unknown) => {
        if (!(error instanceof CliError) || error.code !== 'conflict' || cascade) throw error;
        const { exitCode, code, message } = error;
        const next = `Delete it with all of them: svc delete project ${name} --cascade`;
        throw new CliError(exitCode, message, { code, next, cause: error });
      }),
    look: (signal) => client.project(id, signal),
  };
}

function serviceLines(services: readonly ServiceResource[]): string[] {
  return table(
    [
      { header: 'NAME', cell: ({ name }) => name },
      { header: 'STATUS', cell: serviceState },
      { header: 'URL', cell: ({ urls }) => urls.join(' ') },
    ],
    services,
  );
}
