/** `svc top` */
import { Option } from 'clipanion';
import type { ServiceMetrics } from '../../specs/metrics.ts';
import type { ServiceResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import { pause } from '../client/follow.ts';
import { isTransient } from '../client/problem.ts';
import { ExitCode, toCliError } from '../errors.ts';
import { isTerminal } from '../output/colour.ts';
import { json, yaml } from '../output/document.ts';
import { documentFormatOf } from '../output/resources.ts';
import { resolveService } from '../target.ts';
import { replicaLines, serviceLines, type ServiceUsage } from '../usage/lines.ts';
import { ClientCommand } from './command.ts';

/** Milliseconds between two looks with `-w`; a node reads figures every ten seconds. */
const watchInterval = 2_000;
/** Services that are asked about at once. */
const atOnce = 8;

export class TopCommand extends ClientCommand {
  static override paths = [['top']];
  static override usage = {
    category: 'Look',
    description: 'Show what services use: processors, memory, network, requests',
    details: `
      Without a service, every service that you may see; with one, its replicas. Those that use most processor time come first.

      Rates and latencies are taken over the last minute, as the node reads them every ten seconds. CPU is in processors: 0.25 is a
      quarter of one. The latency is that of the heads of answers.

      With \`-w\` it goes on until Ctrl-C; on a terminal in place.
    `,
    examples: [
      ['Show what every service uses', 'svc top'],
      ['Go on with the replicas of one', 'svc top shop/web -w'],
      ['Give everything that is known to a program', 'svc top shop/web -o json'],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'only of this project' });
  watch = Option.Boolean('-w,--watch', false, { description: 'go on, and show what it comes to be' });
  output = Option.String('-o,--output', { description: 'table, json or yaml' });
  service = Option.String({ name: 'service', required: false });

  override async execute(): Promise<number> {
    const format = documentFormatOf(this.output);
    const client = await this.connect();
    const look = async (): Promise<string> => {
      const usages = await this.usages(client);
      const items = usages.map(({ metrics }) => metrics);
      if (format !== 'table') {
        const document = this.service === undefined ? { items, next_cursor: null } : items[0];
        return format === 'json' ? json(document) : await yaml(document);
      }
      const [only] = usages;
      const lines =
        this.service === undefined ? serviceLines(usages) : only ? replicaLines(only.metrics) : [];
      return lines.map((line) => `${line}\n`).join('');
    };
    this.context.stdout.write(await look());
    return this.watch ? await this.follow(look) : ExitCode.done;
  }

  private async usages(client: Client): Promise<ServiceUsage[]> {
    const services =
      this.service === undefined
        ? await client.services({ project: this.project })
        : [
            await resolveService(client, {
              argument: this.service,
              project: this.project,
              cwd: this.context.cwd,
            }),
          ];
    const metrics: ServiceUsage[] = [];
    for (let index = 0; index < services.length; index += atOnce)
      metrics.push(
        ...(await Promise.all(services.slice(index, index + atOnce).map((one) => usageOf(client, one)))),
      );
    return metrics;
  }

  private async follow(look: () => Promise<string>): Promise<number> {
    const { clock, stdout } = this.context;
    const signal = this.context.interrupted();
    // Home, and everything below it away: what is there is shown anew in its place.
    const before = isTerminal(stdout) ? '\u001b[H\u001b[2J' : '';
    let isAway = false;
    for (;;) {
      try {
        await pause(clock, watchInterval, signal);
        const text = await look();
        stdout.write(before + text);
        isAway = false;
      } catch (error) {
        if (signal.aborted) return ExitCode.interrupted;
        if (!isTransient(error)) throw error;
        if (!isAway) this.note(`svc: ${toCliError(error).message} Trying again.`);
        isAway = true;
      }
    }
  }
}

async function usageOf(client: Client, service: ServiceResource): Promise<ServiceUsage> {
  const metrics: ServiceMetrics = await client.serviceMetrics(service.id);
  return { service, metrics };
}
