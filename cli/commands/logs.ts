/** `svc logs` */
import { Option } from 'clipanion';
import type { WorkloadLogLine } from '../../specs/log-entry.ts';
import type { Client } from '../client.ts';
import type { LogQuery } from '../client/routes/logs.ts';
import { ExitCode, usageError } from '../errors.ts';
import { paletteFor } from '../output/colour.ts';
import { cleanText } from '../output/text.ts';
import { textLines } from '../output/lines.ts';
import { followDeployment } from '../rollout/follow-deployment.ts';
import { resolveService } from '../target.ts';
import { ClientCommand, integerFlag, pastFlag } from './command.ts';

export class LogsCommand extends ClientCommand {
  static override paths = [['logs']];
  static override usage = {
    category: 'Look',
    description: 'Print what a service prints, or the log of a deployment',
    details: `
      Lines of several replicas have the replica before them. With \`-f\` it goes on until Ctrl-C, across restarts of
      the service and of the node.

      With \`--deployment\` it is the build and release log of that deployment; with \`-f\`, until it has settled.
    `,
    examples: [
      ['Print the last hundred lines of a service and go on', 'svc logs shop/web --tail 100 -f'],
      ['Print what it said in the last ten minutes', 'svc logs shop/web --since 10m'],
      ['Print how a deployment was built and released', 'svc logs --deployment dep_01jd…'],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'its project' });
  follow = Option.Boolean('-f,--follow', false, { description: 'go on with what comes' });
  tail = Option.String('--tail', { description: 'only so many of the newest lines' });
  since = Option.String('--since', {
    description: 'only what is newer: a duration such as 10m, or an RFC 3339 time',
  });
  replica = Option.String('--replica', { description: 'only of this replica (id)' });
  deployment = Option.String('--deployment', { description: 'the log of this deployment (id) instead' });
  service = Option.String({ name: 'service', required: false });

  override async execute(): Promise<number> {
    const query = await this.query();
    const client = await this.connect();
    if (this.deployment !== undefined) return await this.deploymentLog(client, this.deployment);

    const { project, context } = this;
    const service = await resolveService(client, { argument: this.service, project, cwd: context.cwd });
    const signal = context.interrupted();
    const isMixed = service.replicas > 1 && this.replica === undefined;
    try {
      if (this.follow) {
        for await (const { event, data } of client.followService(service.id, query, { signal })) {
          if (event === 'log') this.printLine(JSON.parse(data) as WorkloadLogLine, isMixed);
        }
      } else {
        for await (const line of textLines(await client.serviceLog(service.id, query, signal))) {
          this.printLine(JSON.parse(line) as WorkloadLogLine, isMixed);
        }
      }
    } catch (error) {
      if (!signal.aborted) throw error;
      return ExitCode.interrupted;
    }
    return ExitCode.done;
  }

  private async deploymentLog(client: Client, id: string): Promise<number> {
    const signal = this.context.interrupted();
    try {
      if (this.follow) await followDeployment(this.context, client, id);
      else
        for await (const line of textLines(await client.deploymentLog(id, signal)))
          this.print(cleanText(line));
    } catch (error) {
      if (!signal.aborted) throw error;
      return ExitCode.interrupted;
    }
    return ExitCode.done;
  }

  private printLine({ replica, line }: WorkloadLogLine, isMixed: boolean): void {
    const { dim } = paletteFor(this.context.stdout, this.context.env);
    this.print(`${isMixed ? dim(`${cleanText(replica)} | `) : ''}${cleanText(line)}`);
  }

  private async query(): Promise<LogQuery> {
    const given = [this.tail, this.since, this.replica, this.service].some((flag) => flag !== undefined);
    if (this.deployment !== undefined && given) throw usageError('--deployment goes with -f only.');
    return {
      tail: integerFlag('--tail', this.tail, 0, 1_000_000),
      since:
        this.since === undefined
          ? undefined
          : await pastFlag('--since', this.since, this.context.clock.now()),
      replica: this.replica,
    };
  }
}
