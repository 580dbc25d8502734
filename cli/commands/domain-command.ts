/** What the commands about domains of one service have in common. */
import { Option } from 'clipanion';
import type { ServiceResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { resolveService } from '../target.ts';
import { ClientCommand } from './command.ts';

export abstract class DomainCommand extends ClientCommand {
  project = Option.String('-p,--project', { description: 'its project' });
  service = Option.String('-s,--service', {
    description: 'the service: NAME with -p, or PROJECT/NAME (default: that of .svc)',
  });

  protected findService(client: Client): Promise<ServiceResource> {
    const { service: argument, project, context } = this;
    return resolveService(client, { argument, project, cwd: context.cwd });
  }
}
