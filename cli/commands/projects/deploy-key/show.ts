/** `svc projects deploy-key show` */
import { Option } from 'clipanion';
import { deployKeyFacts } from '../../../kinds/deploy-key.ts';
import { json, yaml } from '../../../output/document.ts';
import { documentFormatOf } from '../../../output/resources.ts';
import { ClientCommand } from '../../command.ts';

export class ShowDeployKeyCommand extends ClientCommand {
  static override paths = [['projects', 'deploy-key', 'show']];
  static override usage = {
    category: 'Projects and services',
    description: 'Show the public half of the deploy key of a project',
    details: `
      Takes the role Operator there. The public key is what the Git host has to know; compare the fingerprint with what it
      shows. The private half stays sealed on the node.
    `,
    examples: [['Show it', 'svc projects deploy-key show shop']] as [string, string][],
  };

  output = Option.String('-o,--output', { description: 'table, json or yaml' });
  project = Option.String({ name: 'project' });

  override async execute(): Promise<void> {
    const format = documentFormatOf(this.output);
    const client = await this.connect();
    const key = await client.deployKey(this.project);
    const { stdout, clock } = this.context;
    if (format === 'json') stdout.write(json(key));
    else if (format === 'yaml') stdout.write(await yaml(key));
    else for (const line of deployKeyFacts(key, clock.now()).lines) this.print(line);
  }
}
