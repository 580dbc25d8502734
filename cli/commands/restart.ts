/** `svc restart` */
import { Option } from 'clipanion';
import { ServiceCommand } from './service-command.ts';

export class RestartCommand extends ServiceCommand {
  static override paths = [['restart']];
  static override usage = {
    category: 'Services',
    description: 'Replace the replicas of a service by new ones',
    details: `
      New replicas of the same deployment pass the health gate first; then routing moves and the old ones drain.
      Ends with 1 when they do not become healthy; the old ones go on then.
    `,
    examples: [['Restart a service', 'svc restart web -p shop']] as [string, string][],
  };

  service = Option.String({ name: 'service', required: false });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const service = await client.changeService((await this.findService(client, this.service)).id, 'restart');
    const deployment = service.promoted_deployment_id ?? '';
    const settled = await this.settled(client, service, {
      want: 'serving',
      deployment,
      epoch: service.epoch,
    });
    this.sayServing(service, 'restarted', settled);
  }
}
