/** `svc secrets unset` */
import { Option } from 'clipanion';
import { ReleaseCommand } from '../release-command.ts';

export class UnsetSecretCommand extends ReleaseCommand {
  static override paths = [['secrets', 'unset']];
  static override usage = {
    category: 'Services',
    description: 'Take secret variables out of the environment of a service',
    details: `
      What runs is released anew without them. Values go for good once no deployment that is kept for rollback has them.
    `,
    examples: [['Take two away', 'svc secrets unset shop/web API_KEY OLD_API_KEY']] as [string, string][],
  };

  service = Option.String({ name: 'service' });
  names = Option.Rest({ name: 'name', required: 1 });

  override async execute(): Promise<number> {
    const client = await this.connect();
    const service = await this.findService(client, this.service);
    const names = [...new Set(this.names)];
    await client.updateSecrets(service.id, { unset: names });
    for (const name of names) this.print(`secret/${service.project}/${service.name}/${name} unset`);
    return this.follow(client, service);
  }
}
