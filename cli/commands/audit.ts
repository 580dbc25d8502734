/** `svc audit` */
import { Option } from 'clipanion';
import type { Client } from '../client.ts';
import type { AuditQuery } from '../client/routes/node.ts';
import { CliError, ExitCode } from '../errors.ts';
import { auditListing } from '../kinds/audit-entry.ts';
import type { Listing } from '../kinds/kind.ts';
import { createPrinter, formatOf } from '../output/resources.ts';
import { ClientCommand, integerFlag, pastFlag } from './command.ts';

export class AuditCommand extends ClientCommand {
  static override paths = [['audit']];
  static override usage = {
    category: 'Access',
    description: 'Show who wrote, or tried to write, what',
    details: `
      Only a super-admin may. Every write and every refused one is there, for as long as the node keeps it: who, from
      where, what, the names of the fields that were sent, and what came of it. Values are never there.

      The newest comes last, as in a log. \`-o json\` and \`-o yaml\` print what the API answers, newest first.
    `,
    examples: [
      ['Show the last hundred entries', 'svc audit'],
      ['Show what a user did today', 'svc audit --user grace --since 24h'],
      ['Show what was refused', 'svc audit --refused -n 20'],
    ] as [string, string][],
  };

  user = Option.String('--user', { description: 'only of this user (name or id)' });
  project = Option.String('-p,--project', {
    description: 'only in this project (name, or id also of one that is gone)',
  });
  since = Option.String('--since', {
    description: 'only what is newer: a duration such as 1h, or an RFC 3339 time',
  });
  until = Option.String('--until', { description: 'only what is older: the same' });
  refused = Option.Boolean('--refused', false, { description: 'only what was refused' });
  count = Option.String('-n', { description: 'how many of the newest (default: 100)' });
  output = Option.String('-o,--output', { description: 'table, wide, json, yaml or name' });

  override async execute(): Promise<void> {
    const format = formatOf(this.output);
    const most = integerFlag('-n', this.count, 1, 100_000) ?? 100;
    const query = await this.query();
    const client = await this.connect();
    const entries = await client.audit(query, most);
    // A name that nothing has must not look like a project in which nothing was written.
    if (entries.length === 0 && this.project !== undefined) await this.expectProject(client, this.project);
    const kind = auditListing as Listing<unknown>;
    const isDocument = format === 'json' || format === 'yaml';
    const { stdout, clock } = this.context;
    const print = createPrinter({ kind, format, single: false });
    stdout.write(await print(isDocument ? entries : entries.toReversed(), clock.now()));
    if (entries.length === 0 && !isDocument) this.note('No entries found.');
  }

  /** Throws CliError where the project is named, and none has that name. By its id one that is gone is found too. */
  private async expectProject(client: Client, project: string): Promise<void> {
    // A name has no underscore.
    if (project.startsWith('prj_')) return;
    try {
      await client.project(project);
    } catch (error) {
      if (!(error instanceof CliError) || error.exitCode !== ExitCode.notFound) throw error;
      const next = 'One that is gone is found by its id (prj_…): see svc audit.';
      throw new CliError(ExitCode.notFound, `There is no project "${project}" now.`, { next, cause: error });
    }
  }

  private async query(): Promise<AuditQuery> {
    const now = this.context.clock.now();
    return {
      user: this.user,
      project: this.project,
      since: this.since === undefined ? undefined : await pastFlag('--since', this.since, now),
      until: this.until === undefined ? undefined : await pastFlag('--until', this.until, now),
      result: this.refused ? 'refused' : undefined,
    };
  }
}
