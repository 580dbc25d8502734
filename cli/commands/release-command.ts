/** What commands that change a service's configuration, and see its release through, have in common. */
import { Option } from 'clipanion';
import type { ServiceResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { ExitCode } from '../errors.ts';
import { takenUp, whyNothing } from '../rollout/release.ts';
import { scaled } from '../rollout/scaled.ts';
import { seeThrough } from '../rollout/see-through.ts';
import { resolveService } from '../target.ts';
import { ClientCommand } from './command.ts';

export abstract class ReleaseCommand extends ClientCommand {
  project = Option.String('-p,--project', { description: 'its project' });
  noFollow = Option.Boolean('--no-follow,--no-wait', false, {
    description: 'do not wait until what changed is released',
  });

  protected findService(client: Client, argument: string | undefined): Promise<ServiceResource> {
    return resolveService(client, { argument, project: this.project, cwd: this.context.cwd });
  }

  /**
   * Follows what the node makes of a change, unless told not to.
   * @param before the service as it was before the write
   * @returns the exit code; throws CliError for a release that failed
   */
  protected async follow(client: Client, before: ServiceResource): Promise<number> {
    if (this.noFollow) return ExitCode.done;
    const { context } = this;
    const since = context.clock.now();
    const { generation } = await client.service(before.id);
    const service = await takenUp(context, client, before, generation);
    const { target_deployment_id: target } = service;
    if (target === null || target === before.target_deployment_id) {
      if (service.replicas === before.replicas || target === null) this.note(whyNothing(service));
      else await scaled(context, client, service);
      return ExitCode.done;
    }
    const deployment = await client.deployment(target);
    this.note(`Deployment ${deployment.number} of ${before.project}/${before.name} releases it: no build.`);
    return seeThrough(context, client, { deployment, service: before, since });
  }
}
