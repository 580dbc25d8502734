/** What commands that change one service, and wait for it, have in common. */
import { Option } from 'clipanion';
import type { ServiceResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { cleanLine } from '../output/text.ts';
import { settle, type Settled } from '../rollout/settle.ts';
import type { Goal } from '../rollout/verdict.ts';
import { resolveService } from '../target.ts';
import { ClientCommand, durationFlag } from './command.ts';

export abstract class ServiceCommand extends ClientCommand {
  project = Option.String('-p,--project', { description: 'its project' });
  noWait = Option.Boolean('--no-wait', false, { description: 'do not wait until it has settled' });
  timeout = Option.String('--timeout', '5m', { description: 'how long to wait at most (default: 5m)' });

  protected findService(client: Client, argument: string | undefined): Promise<ServiceResource> {
    return resolveService(client, { argument, project: this.project, cwd: this.context.cwd });
  }

  /** Waits, unless told not to. undefined: it was not waited for. */
  protected async settled(
    client: Client,
    service: ServiceResource,
    goal: Goal,
  ): Promise<Settled | undefined> {
    const timeout = await durationFlag('--timeout', this.timeout);
    return this.noWait ? undefined : await settle(this.context, { client, service, goal, timeout });
  }

  /** `service/shop/web stopped` */
  protected say({ project, name }: ServiceResource, what: string): void {
    this.print(`service/${project}/${name} ${what}`);
  }

  /** Says what serves now, and where. */
  protected sayServing(service: ServiceResource, what: string, settled: Settled | undefined): void {
    if (settled?.deployment === undefined) {
      this.say(service, `${what}: under way`);
      return;
    }
    const urls = settled.service.urls.map(cleanLine).join(' ');
    this.say(
      service,
      `${what}: deployment ${settled.deployment.number} is serving${urls === '' ? '' : ` at ${urls}`}`,
    );
  }
}
