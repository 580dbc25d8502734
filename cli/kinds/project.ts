/** Projects, as `svc get` and `svc describe` show them. */
import type { ProjectResource, ServiceResource } from '../../specs/resources.ts';
import { age } from '../output/age.ts';
import { table } from '../output/table.ts';
import type { Kind } from './kind.ts';
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
  async describe(client, project, now) {
    const services = await client.services({ project: project.id });
    return [
      facts({ Name: project.name, Id: project.id, Created: moment(project.created_at, now) }),
      conditionsSection(project.conditions, now),
      { title: 'Services', lines: services.length === 0 ? ['none'] : serviceLines(services) },
    ];
  },
};

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
