/** `svc stop` */
import { Option } from 'clipanion';
import { usageError } from '../errors.ts';
import { ServiceCommand } from './service-command.ts';

export class StopCommand extends ServiceCommand {
  static override paths = [['stop']];
  static override usage = {
    category: 'Services',
    description: 'Stop a service, or one deployment',
    details: `
      The service keeps its deployments; \`svc start\` runs the last one again.

      With \`--deployment\` only that deployment stops: one that is under way is cancelled.
    `,
    examples: [
      ['Stop a service', 'svc stop shop/web'],
      ['Cancel a deployment that is under way', 'svc stop --deployment dep_01jd…'],
    ] as [string, string][],
  };

  deployment = Option.String('--deployment', { description: 'id of the one deployment to stop' });
  service = Option.String({ name: 'service', required: false });

  override async execute(): Promise<void> {
    const client = await this.connect();
    if (this.deployment !== undefined) {
      if (this.service !== undefined) throw usageError('Name a service or a deployment, not both.');
      const { id } = await client.stopDeployment(this.deployment);
      this.print(`deployment/${id} is being stopped`);
      return;
    }
    const service = await client.changeService((await this.findService(client, this.service)).id, 'stop');
    const settled = await this.settled(client, service, { want: 'stopped' });
    this.say(service, settled === undefined ? 'is being stopped' : 'stopped');
  }
}
