/** `svc registries remove` */
import { Option } from 'clipanion';
import { CliError, ExitCode } from '../../errors.ts';
import { resolveProject } from '../../target.ts';
import { ClientCommand } from '../command.ts';

export class RemoveRegistryCommand extends ClientCommand {
  static override paths = [['registries', 'remove']];
  static override usage = {
    category: 'Projects and services',
    description: 'Forget how a project logs in to a registry',
    details: 'Takes the role Operator there. Its password is deleted; images that were pulled stay.',
    examples: [['Remove one', 'svc registries remove ghcr.io -p shop']] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'the project (default: that of .svc)' });
  server = Option.String({ name: 'server' });

  override async execute(): Promise<void> {
    const project = await resolveProject(this.project, this.context.cwd);
    const client = await this.connect();
    const registries = await client.registries(project);
    const found = registries.find(({ id, server }) => server === this.server || id === this.server);
    if (found === undefined) {
      throw new CliError(ExitCode.notFound, `Project "${project}" has no registry "${this.server}".`, {
        next: `See: svc registries list -p ${project}`,
      });
    }
    await client.removeRegistry(project, found.id);
    this.print(`registry/${found.server} removed from ${project}`);
  }
}
