/** `svc events` */
import { Option } from 'clipanion';
import type { Event } from '../../specs/event.ts';
import type { Client } from '../client.ts';
import { usageError } from '../errors.ts';
import { asLog, eventListing } from '../kinds/event.ts';
import { readManifest } from '../manifest.ts';
import { createPrinter, formatOf } from '../output/resources.ts';
import { resolveService } from '../target.ts';
import { ClientCommand, integerFlag } from './command.ts';

export class EventsCommand extends ClientCommand {
  static override paths = [['events']];
  static override usage = {
    category: 'Look',
    description: 'Show what the node did, and why',
    details: `
      Rollouts, restarts, what somebody had changed by hand and the node put right. Equal ones within ten minutes are
      counted. The newest comes last, as in a log; \`-o json\` and \`-o yaml\` print what the API answers, newest first.
    `,
    examples: [
      ['Of one service and all that belongs to it', 'svc events shop/web'],
      ['Of a project', 'svc events -p shop'],
      ['Of all that you may see', 'svc events --all'],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'its project, or the one to show' });
  all = Option.Boolean('--all', false, { description: 'of every project that you may see' });
  count = Option.String('-n', { description: 'how many of the newest (default: 50)' });
  output = Option.String('-o,--output', { description: 'table, wide, json, yaml or name' });
  service = Option.String({ name: 'service', required: false });

  override async execute(): Promise<void> {
    const format = formatOf(this.output);
    const most = integerFlag('-n', this.count, 1, 100_000) ?? 50;
    if (this.all && (this.service ?? this.project) !== undefined)
      throw usageError('--all goes with no service and no project.');
    const client = await this.connect();
    const events = await this.list(client, most);
    const isDocument = format === 'json' || format === 'yaml';
    const { stdout, clock } = this.context;
    const print = createPrinter({ kind: eventListing, format, single: false });
    stdout.write(await print(isDocument ? events : asLog(events), clock.now()));
    if (events.length === 0 && !isDocument) this.note('No events found.');
  }

  private async list(client: Client, most: number): Promise<Event[]> {
    const { project, service: argument } = this;
    if (this.all) return client.events({}, most);
    if (argument === undefined && project !== undefined) {
      // A name that nothing has must not look like a project in which nothing happened.
      return client.events({ project: (await client.project(project)).id }, most);
    }
    if (argument === undefined && (await readManifest(this.context.cwd)).service === undefined)
      throw usageError(
        'Events of what?',
        'Name a service (PROJECT/SERVICE) or a project (-p PROJECT), or take those of all: --all.',
      );
    const service = await resolveService(client, { argument, project, cwd: this.context.cwd });
    return client.events({ service_id: service.id }, most);
  }
}
