/** `svc get` */
import { Option } from 'clipanion';
import type { Client } from '../client.ts';
import { isTransient } from '../client/problem.ts';
import { pause } from '../client/follow.ts';
import { CliError, ExitCode, toCliError } from '../errors.ts';
import { selectionOf } from '../kinds/registry.ts';
import { scopeHere } from '../kinds/scope.ts';
import type { Kind, Scope } from '../kinds/kind.ts';
import { createPrinter, formatOf, type Printer } from '../output/resources.ts';
import { ClientCommand } from './command.ts';

/** Milliseconds between two looks with `-w`. */
const watchInterval = 1_000;

export class GetCommand extends ClientCommand {
  static override paths = [['get']];
  static override usage = {
    category: 'Look',
    description: 'List resources, or show one',
    details: `
      The kinds are \`projects\`, \`services\`, \`deployments\`, \`domains\`, \`jobs\` and \`runs\`, in singular, plural or short
      (\`po\`, \`svc\`, \`deploy\`, \`dom\`).

      A service is named by NAME with \`-p\`, or by PROJECT/NAME; a deployment by its id, or by its number with \`-s\`; a
      domain by its hostname. In a directory whose \`.svc\` names them, project and service of a NAME or number are those.

      \`-o json\` and \`-o yaml\` print exactly what the API answers. With \`-w\` it goes on and prints what changes until Ctrl-C.
    `,
    examples: [
      ['List every service you may see', 'svc get services'],
      ['Show one service of a project as JSON', 'svc get service web -p shop -o json'],
      ['List the deployments of a service, newest first', 'svc get deployments -s shop/web'],
      ['Watch them', 'svc get deployments -s shop/web -w'],
    ] as [string, string][],
  };

  project = Option.String('-p,--project', { description: 'only of this project' });
  service = Option.String('-s,--service', {
    description: 'only of this service (deployments, domains); NAME with -p, or PROJECT/NAME',
  });
  output = Option.String('-o,--output', { description: 'table, wide, json, yaml or name' });
  watch = Option.Boolean('-w,--watch', false, { description: 'go on, and print what changes' });
  kind = Option.String({ name: 'kind' });
  name = Option.String({ name: 'name', required: false });

  override async execute(): Promise<number> {
    const selection = selectionOf(this.kind, this.name);
    const { kind, name } = selection;
    const scope = await scopeHere(selection, {
      ...{ project: this.project, service: this.service, cwd: this.context.cwd },
    });
    const printer = createPrinter({ kind, format: formatOf(this.output), single: name !== undefined });
    const client = await this.connect();

    const items = await kind.list(client, scope);
    if (items.length === 0 && scope.name !== undefined) throw notFound(kind, scope);
    // A name that nothing has must not look like a project in which there is nothing.
    if (items.length === 0 && scope.project !== undefined) await client.project(scope.project);
    this.context.stdout.write(await printer(items, this.context.clock.now()));
    if (items.length === 0 && this.output !== 'json' && this.output !== 'yaml')
      this.note(nothingFound(kind, scope));
    return this.watch ? await this.follow(client, { kind, scope, printer, items }) : ExitCode.done;
  }

  /** Looks again and again, and prints the rows that are new or differ. */
  private async follow(client: Client, { kind, scope, printer, items }: Watch): Promise<number> {
    const { clock, stdout } = this.context;
    const signal = this.context.interrupted();
    const seen = new Set(items.map((item) => JSON.stringify(item)));
    let isAway = false;
    for (;;) {
      try {
        await pause(clock, watchInterval, signal);
        const changed = (await kind.list(client, scope)).filter((item) => !seen.has(JSON.stringify(item)));
        for (const item of changed) seen.add(JSON.stringify(item));
        stdout.write(await printer(changed.reverse(), clock.now()));
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

interface Watch {
  kind: Kind<unknown>;
  scope: Scope;
  printer: Printer;
  items: readonly unknown[];
}

function nothingFound({ plural }: Kind<unknown>, { project, service }: Scope): string {
  const where =
    service !== undefined ? ` of service ${service}` : project !== undefined ? ` in project ${project}` : '';
  return `No ${plural} found${where}.`;
}

export function notFound({ singular, plural }: Kind<unknown>, { project, name = '' }: Scope): CliError {
  const where = project === undefined ? '' : ` in project "${project}"`;
  return new CliError(
    ExitCode.notFound,
    `There is no ${singular} "${name}"${where}, or you may not see it.`,
    {
      next: `See: svc get ${plural}`,
    },
  );
}
