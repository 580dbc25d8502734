/** `svc diff` */
import { Option } from 'clipanion';
import type { DeploymentResource, ServiceResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { CliError, ExitCode } from '../errors.ts';
import { deploymentNamed } from '../kinds/deployment.ts';
import { paletteFor } from '../output/colour.ts';
import { json } from '../output/document.ts';
import { documentFormatOf } from '../output/resources.ts';
import { cleanLine } from '../output/text.ts';
import { differences, type Difference } from '../rollout/differences.ts';
import { resolveService } from '../target.ts';
import { ClientCommand } from './command.ts';

export class DiffCommand extends ClientCommand {
  static override paths = [['diff']];
  static override usage = {
    category: 'Look',
    description: 'Compare what two deployments of a service run',
    details: `
      By default the one that was promoted before with the one that serves. Image, commit, environment, versions of secrets,
      command, limits, health check, volumes and port are compared. Ends with 1 where there is a difference, as diff does.
    `,
    examples: [
      ['What the last deployment changed', 'svc diff shop/web'],
      ['Compare two by number', 'svc diff shop/web --from 3 --to 5'],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'its project' });
  from = Option.String('--from', { description: 'id or number of the older one' });
  to = Option.String('--to', { description: 'id or number of the newer one' });
  output = Option.String('-o,--output', { description: 'table or json' });
  service = Option.String({ name: 'service', required: false });

  override async execute(): Promise<number> {
    const format = documentFormatOf(this.output);
    const client = await this.connect();
    const { project, service: argument } = this;
    const service = await resolveService(client, { argument, project, cwd: this.context.cwd });
    const [before, after] = await this.pair(client, service);
    const found = differences(before, after);
    const { stdout } = this.context;
    if (format === 'json') stdout.write(json({ from: before.number, to: after.number, differences: found }));
    else this.show(before, after, found);
    return found.length === 0 ? ExitCode.done : ExitCode.failed;
  }

  private async pair(
    client: Client,
    { id, promoted_deployment_id: promoted, previous_deployment_id: previous }: ServiceResource,
  ): Promise<[DeploymentResource, DeploymentResource]> {
    const all = await client.deployments(id);
    const named = (flag: string | undefined, fallback: string | null, what: string): DeploymentResource => {
      const name = flag ?? fallback;
      if (name !== null) return deploymentNamed(all, name);
      throw new CliError(ExitCode.notFound, `There is no ${what} deployment to compare.`, {
        next: 'Name two of them with --from and --to; svc rollout history lists them.',
      });
    };
    return [named(this.from, previous, 'earlier'), named(this.to, promoted, 'promoted')];
  }

  private show(before: DeploymentResource, after: DeploymentResource, found: readonly Difference[]): void {
    if (found.length === 0) {
      this.note(`Deployments ${before.number} and ${after.number} run the same.`);
      return;
    }
    const { red, green } = paletteFor(this.context.stdout, this.context.env);
    this.print(`--- deployment ${before.number}`);
    this.print(`+++ deployment ${after.number}`);
    for (const { field, before: old, after: now } of found) {
      if (old !== undefined) this.print(red(`-${field}: ${cleanLine(old)}`));
      if (now !== undefined) this.print(green(`+${field}: ${cleanLine(now)}`));
    }
  }
}
