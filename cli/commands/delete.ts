/** `svc delete` */
import { Option } from 'clipanion';
import { usageError } from '../errors.ts';
import { scopeOf, selectionOf } from '../kinds/registry.ts';
import { DeletionCommand } from './deletion-command.ts';
import { notFound } from './get.ts';

export class DeleteCommand extends DeletionCommand {
  static override paths = [['delete']];
  static override usage = {
    category: 'Projects and services',
    description: 'Delete a service or a project',
    details: `
      A service goes with its deployments, domains and secrets: the ones that run end, requests under way first. A
      project goes with its members, registries and its deploy key; only a super-admin may, and it is refused while the
      project has services or jobs, unless \`--cascade\` deletes them too.

      On a terminal it asks for the name first. Waits until everything is gone.
    `,
    examples: [
      ['Delete a service', 'svc delete service web -p shop'],
      ['Delete a project with its services, from a script', 'svc delete project shop --cascade --yes'],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'its project' });
  cascade = Option.Boolean('--cascade', false, {
    description: 'with a project: delete its services and jobs too',
  });
  kind = Option.String({ name: 'kind' });
  name = Option.String({ name: 'name', required: false });

  override async execute(): Promise<void> {
    const selection = selectionOf(this.kind, this.name);
    const { kind, name } = selection;
    if (kind.deletion === undefined)
      throw usageError(`A ${kind.singular} cannot be deleted by hand.`, 'A service takes its own along.');
    if (name === undefined)
      throw usageError(`Which ${kind.singular}?`, `Name it: svc delete ${kind.singular} NAME`);
    const scope = scopeOf(selection, this);
    const client = await this.connect();
    const [item, ...others] = await kind.list(client, scope);
    if (item === undefined) throw notFound(kind, scope);
    if (others.length > 0)
      throw usageError(
        `There is more than one ${kind.singular} "${name}".`,
        'Say in which project with -p PROJECT.',
      );
    await this.carryOut(`${kind.singular}/${kind.name(item)}`, kind.deletion(client, item), this.cascade);
  }
}
