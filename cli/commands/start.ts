/** `svc start` */
import { Option } from 'clipanion';
import { ServiceCommand } from './service-command.ts';

export class StartCommand extends ServiceCommand {
  static override paths = [['start']];
  static override usage = {
    category: 'Services',
    description: 'Start a stopped service',
    details:
      'Runs the deployment that ran last, health gate first, without a build. Ends with 1 when it does not become healthy.',
    examples: [['Start a service', 'svc start shop/web']] as [string, string][],
  };

  service = Option.String({ name: 'service', required: false });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const service = await client.changeService((await this.findService(client, this.service)).id, 'start');
    const deployment = service.promoted_deployment_id ?? service.target_deployment_id ?? '';
    this.sayServing(service, 'started', await this.settled(client, service, { want: 'serving', deployment }));
  }
}
