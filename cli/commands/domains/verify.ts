/** `svc domains verify` */
import { Option } from 'clipanion';
import type { DomainResource } from '../../../specs/resources.ts';
import { CliError, ExitCode } from '../../errors.ts';
import { findDomain } from '../../kinds/domain.ts';
import { DomainCommand } from '../domain-command.ts';

export class VerifyDomainCommand extends DomainCommand {
  static override paths = [['domains', 'verify']];
  static override usage = {
    category: 'Services',
    description: 'Prove that a hostname points to this node',
    details: `
      The node asks DNS where the hostname leads, and fetches a challenge from there that only it answers. Once that has
      come back, the service is served at the hostname. Ends with code 1, and what was seen, where it has not.
    `,
    examples: [['Verify one', 'svc domains verify shop.example.com -s shop/web']] as [string, string][],
  };

  hostname = Option.String({ name: 'hostname' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const service = await this.findService(client);
    const name = `${service.project}/${service.name}`;
    const { id, hostname, generation: before } = await findDomain(client, service, this.hostname);
    const domain = await client.verifyDomain(service.id, id);
    if (domain.observed_generation <= before)
      throw new CliError(ExitCode.timedOut, `The node has not come to verifying ${hostname} yet.`, {
        next: `See later: svc describe domain ${hostname} -s ${name}`,
      });
    const fault = faultOf(domain);
    if (fault !== undefined)
      throw new CliError(ExitCode.failed, fault, {
        next: `Try again with: svc domains verify ${hostname} -s ${name}`,
      });
    this.print(`domain/${hostname} verified; ${name} is served there`);
  }
}

/** One that was verified before stays so while it points elsewhere: that must not look like a success. */
function faultOf({ status, last_error: error, hostname }: DomainResource): string | undefined {
  if (status === 'Verified' && error === null) return undefined;
  return status === 'Verified'
    ? `${hostname} was verified and is still served, but does not point here any more. ${error ?? ''}`
    : (error ?? `${hostname} was not verified.`);
}
