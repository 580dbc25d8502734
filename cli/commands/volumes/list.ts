/** `svc volumes list` */
import { Option } from 'clipanion';
import type { VolumeResource } from '../../../specs/resources.ts';
import type { Client } from '../../client.ts';
import { volumeListing } from '../../kinds/volume.ts';
import { resolveProject } from '../../target.ts';
import { ListCommand } from '../list-command.ts';

export class ListVolumesCommand extends ListCommand<VolumeResource> {
  static override paths = [['volumes', 'list']];
  static override usage = {
    category: 'Services',
    description: 'List the volumes of a project',
    details: `
      A volume is made by the first deployment that mounts it, and kept over deployments and when its service is deleted: one
      that is made anew under the same name gets its data back.
    `,
    examples: [['List them', 'svc volumes list -p shop']] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'whose they are (default: that of .svc)' });
  protected readonly listing = volumeListing;

  protected async list(client: Client): Promise<VolumeResource[]> {
    return client.volumes(await resolveProject(this.project, this.context.cwd));
  }
}
