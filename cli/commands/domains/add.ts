/** `svc domains add` */
import { Option } from 'clipanion';
import { DomainCommand } from '../domain-command.ts';

export class AddDomainCommand extends DomainCommand {
  static override paths = [['domains', 'add']];
  static override usage = {
    category: 'Services',
    description: 'Attach a hostname to a service',
    details: `
      It gets no traffic before \`svc domains verify\` has found that its DNS leads to this node. Several services may try
      for one hostname; the first that is verified has it.
    `,
    examples: [['Attach one', 'svc domains add shop.example.com -s shop/web']] as [string, string][],
  };

  hostname = Option.String({ name: 'hostname' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const service = await this.findService(client);
    const { hostname } = await client.addDomain(service.id, { hostname: this.hostname });
    const name = `${service.project}/${service.name}`;
    this.print(`domain/${hostname} added to ${name}`);
    this.note(
      `Now point its DNS to this node: an A or AAAA record for ${hostname} with the node's public address.`,
    );
    this.note(`Then run: svc domains verify ${hostname} -s ${name}`);
  }
}
