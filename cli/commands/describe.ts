/** `svc describe` */
import { Option } from 'clipanion';
import { ExitCode, usageError } from '../errors.ts';
import { selectionOf } from '../kinds/registry.ts';
import { scopeHere } from '../kinds/scope.ts';
import { readManifest } from '../manifest.ts';
import { ClientCommand } from './command.ts';
import { notFound } from './get.ts';

export class DescribeCommand extends ClientCommand {
  static override paths = [['describe']];
  static override usage = {
    category: 'Look',
    description: 'Show all about one resource, for people',
    details:
      'Its fields, conditions, replicas and what belongs to it. Kinds and names are those of `svc get`; `svc describe service` and `svc describe project` alone are those that `.svc` names.',
    examples: [
      ['Describe a service', 'svc describe service web -p shop'],
      ['Describe the third deployment of a service', 'svc describe deployment 3 -s shop/web'],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'its project' });
  service = Option.String('-s,--service', {
    description: 'its service (deployments, domains); NAME with -p, or PROJECT/NAME',
  });
  kind = Option.String({ name: 'kind' });
  name = Option.String({ name: 'name', required: false });

  override async execute(): Promise<number> {
    const selection = selectionOf(this.kind, this.name);
    const { singular } = selection.kind;
    if (singular === 'service' || singular === 'project')
      selection.name ??= (await readManifest(this.context.cwd))[singular];
    const { kind, name } = selection;
    if (name === undefined)
      throw usageError(`Which ${kind.singular}?`, `Name it: svc describe ${kind.singular} NAME`);
    const scope = await scopeHere(selection, {
      ...{ project: this.project, service: this.service, cwd: this.context.cwd },
    });
    const client = await this.connect();
    const items = await kind.list(client, scope);
    if (items.length === 0) throw notFound(kind, scope);

    const now = this.context.clock.now();
    for (const [index, item] of items.entries()) {
      if (index > 0) this.print('');
      for (const { title, lines } of await kind.describe(client, item, now)) {
        if (title !== undefined) this.print(`${title}:`);
        for (const line of lines) this.print(title === undefined ? line : `  ${line}`);
      }
    }
    return ExitCode.done;
  }
}
