/** `svc projects known-hosts remove` */
import { Option } from 'clipanion';
import { CliError, ExitCode } from '../../../errors.ts';
import { ClientCommand } from '../../command.ts';

export class RemoveKnownHostCommand extends ClientCommand {
  static override paths = [['projects', 'known-hosts', 'remove']];
  static override usage = {
    category: 'Projects and services',
    description: 'Forget the key of a Git host',
    details: `
      Takes the role Operator there. The next clone takes whatever key the host shows then: do this only when its owner
      says that the key has changed, and compare the new fingerprint afterwards.
    `,
    examples: [
      ['Forget one', 'svc projects known-hosts remove shop git.example.com'],
      ['Forget one on another port', 'svc projects known-hosts remove shop [git.example.com]:2222'],
    ] as [string, string][],
  };

  project = Option.String({ name: 'project' });
  host = Option.String({ name: 'host' });

  override async execute(): Promise<void> {
    const client = await this.connect();
    const hosts = await client.knownHosts(this.project);
    const found = hosts.find(({ id, host }) => host === this.host.toLowerCase() || id === this.host);
    if (found === undefined) {
      throw new CliError(ExitCode.notFound, `Project "${this.project}" knows no Git host "${this.host}".`, {
        next: `See: svc projects known-hosts list ${this.project}`,
      });
    }
    await client.removeKnownHost(this.project, found.id);
    this.print(`known-host/${found.host} removed from ${this.project}`);
  }
}
