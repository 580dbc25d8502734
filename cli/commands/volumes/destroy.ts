/** `svc volumes destroy` */
import { Option } from 'clipanion';
import { confirm } from '../../confirmation.ts';
import { CliError, ExitCode, usageError } from '../../errors.ts';
import { resolveProject } from '../../target.ts';
import { ClientCommand } from '../command.ts';

export class DestroyVolumeCommand extends ClientCommand {
  static override paths = [['volumes', 'destroy']];
  static override usage = {
    category: 'Services',
    description: 'Destroy a volume and all that is in it',
    details: `
      Takes the role Admin there. Nothing brings the data back. Refused while a service runs with the volume: stop it first, or
      delete it. Asks for the name; --confirm gives it where there is nobody to ask.
    `,
    examples: [
      ['Destroy one', 'svc volumes destroy web.data -p shop'],
      ['Destroy one in a script', 'svc volumes destroy web.data -p shop --confirm web.data'],
    ] as [string, string][],
  };

  volume = Option.String({ name: 'name' });
  project = Option.String('-p,--project', { description: 'whose it is (default: that of .svc)' });
  confirm = Option.String('--confirm', { description: 'its name once more, instead of being asked' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const project = await resolveProject(this.project, this.context.cwd);
    const volumes = await client.volumes(project);
    const found = volumes.find(({ id, name }) => name === this.volume || id === this.volume);
    if (found === undefined) {
      throw new CliError(ExitCode.notFound, `Project "${project}" has no volume "${this.volume}".`, {
        next: `See: svc volumes list -p ${project}`,
      });
    }
    await this.agree(found.name, project);
    await client.destroyVolume(project, found.id, found.name);
    this.print(`volume/${found.name} destroyed in ${project}`);
  }

  private async agree(name: string, project: string): Promise<void> {
    if (this.confirm !== undefined && this.confirm !== name)
      throw usageError(`--confirm says "${this.confirm}", and the volume is ${name}. Nothing was destroyed.`);
    const warning = `Destroys the volume ${name} of ${project} and all that is in it, for good.`;
    const otherwise = `give --confirm ${name}`;
    await confirm(this.context, { warning, expected: name, yes: this.confirm === name, otherwise });
  }
}
