/** `svc logs` */
import { Option } from 'clipanion';
import type { WorkloadLogLine } from '../../specs/log-entry.ts';
import type { Client } from '../client.ts';
import type { LogQuery } from '../client/routes/logs.ts';
import { ExitCode, usageError } from '../errors.ts';
import { deploymentNamed } from '../kinds/deployment.ts';
import { textLines } from '../output/lines.ts';
import { createLogLines } from '../output/log-lines.ts';
import { cleanText } from '../output/text.ts';
import { followDeployment } from '../rollout/follow-deployment.ts';
import { resolveService } from '../target.ts';
import { ClientCommand, integerFlag, pastFlag } from './command.ts';

export class LogsCommand extends ClientCommand {
  static override paths = [['logs']];
  static override usage = {
    category: 'Look',
    description: 'Print what a service prints, or the log of a deployment',
    details: `
      Lines come in the order in which they were printed, those of several replicas with the replica before them (the end
      of its id, which \`--replica\` takes). With \`-f\` it goes on until Ctrl-C, across restarts of the service and of the node.

      With a service and \`--deployment\` it is what that deployment printed. With \`--deployment\` alone it is how it was built
      and released; with \`-f\`, until it has settled. Its number will do where \`.svc\` names the service.

      \`--previous\` is what each replica printed before it was last started again: why it died.
    `,
    examples: [
      ['Print the last hundred lines of a service and go on', 'svc logs shop/web --tail 100 -f'],
      ['Print what it said in the last ten minutes', 'svc logs shop/web --since 10m'],
      ['Print what it said before it crashed', 'svc logs shop/web --previous --tail 50'],
      ['Print what an earlier deployment of it printed', 'svc logs shop/web --deployment 3'],
      ['Print how a deployment was built and released', 'svc logs --deployment dep_01jd…'],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'its project' });
  follow = Option.Boolean('-f,--follow', false, { description: 'go on with what comes' });
  tail = Option.String('--tail', { description: 'only so many of the newest lines' });
  since = Option.String('--since', {
    description: 'only what is newer: a duration such as 10m, or an RFC 3339 time',
  });
  replica = Option.String('-r,--replica', { description: 'only of this replica (id, or the end of it)' });
  deployment = Option.String('--deployment', {
    description: 'only of this deployment (id or number); without a service: its own log',
  });
  previous = Option.Boolean('--previous', false, {
    description: 'of each replica the run before its present one',
  });
  service = Option.String({ name: 'service', required: false });

  override async execute(): Promise<number> {
    const query = await this.query();
    const client = await this.connect();
    const { deployment, service, context } = this;
    const signal = context.interrupted();
    try {
      if (deployment !== undefined && service === undefined)
        await this.deploymentLog(client, deployment, signal);
      else await this.serviceLog(client, query, signal);
    } catch (error) {
      if (!signal.aborted) throw error;
      return ExitCode.interrupted;
    }
    return ExitCode.done;
  }

  private async serviceLog(client: Client, query: LogQuery, signal: AbortSignal): Promise<void> {
    const { project, context } = this;
    const service = await resolveService(client, { argument: this.service, project, cwd: context.cwd });
    const isMixed = service.replicas > 1 && this.replica === undefined;
    const textOf = createLogLines({ stdout: context.stdout, env: context.env, isMixed });
    if (this.follow) {
      for await (const { event, data } of client.followService(service.id, query, { signal }))
        if (event === 'log') this.print(textOf(JSON.parse(data) as WorkloadLogLine));
    } else {
      let isEmpty = true;
      for await (const line of textLines(await client.serviceLog(service.id, query, signal))) {
        this.print(textOf(JSON.parse(line) as WorkloadLogLine));
        isEmpty = false;
      }
      if (isEmpty && query.tail !== 0)
        this.note(
          `No lines found. How the service is: svc describe service ${service.project}/${service.name}`,
        );
    }
  }

  /** @param name id, or number within the service that `.svc` names */
  private async deploymentLog(client: Client, name: string, signal: AbortSignal): Promise<void> {
    const id = name.startsWith('dep_') ? name : await this.numbered(client, name);
    if (this.follow) await followDeployment(this.context, client, id);
    else
      for await (const line of textLines(await client.deploymentLog(id, signal))) this.print(cleanText(line));
  }

  private async numbered(client: Client, name: string): Promise<string> {
    const { project, context } = this;
    const service = await resolveService(client, { argument: undefined, project, cwd: context.cwd });
    return deploymentNamed(await client.deployments(service.id), name).id;
  }

  private async query(): Promise<LogQuery> {
    const { tail, since, replica, deployment, previous, service } = this;
    const ofWorkload = [tail, since, replica].some((flag) => flag !== undefined) || previous;
    if (deployment !== undefined && service === undefined && ofWorkload)
      throw usageError(
        '--deployment without a service goes with -f only.',
        'Name the service as well to read what the deployment printed.',
      );
    if (previous && this.follow) throw usageError('--previous is what has ended: leave out -f.');
    return {
      tail: integerFlag('--tail', tail, 0, 1_000_000),
      since: since === undefined ? undefined : await pastFlag('--since', since, this.context.clock.now()),
      ...{ replica, deployment },
      previous: previous ? 'true' : undefined,
    };
  }
}
