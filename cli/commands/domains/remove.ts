/** `svc domains remove` */
import { Option } from 'clipanion';
import { findDomain } from '../../kinds/domain.ts';
import { DomainCommand } from '../domain-command.ts';

export class RemoveDomainCommand extends DomainCommand {
  static override paths = [['domains', 'remove']];
  static override usage = {
    category: 'Services',
    description: 'Take a hostname away from a service',
    details: 'It is not served there any more, and another service may have the hostname at once.',
    examples: [['Remove one', 'svc domains remove shop.example.com -s shop/web']] as [string, string][],
  };

  hostname = Option.String({ name: 'hostname' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const service = await this.findService(client);
    const { id, hostname } = await findDomain(client, service, this.hostname);
    await client.removeDomain(service.id, id);
    this.print(`domain/${hostname} removed from ${service.project}/${service.name}`);
  }
}
