/** What commands that list things of one kind have in common. */
import { Option } from 'clipanion';
import type { Client } from '../client.ts';
import type { Listing } from '../kinds/kind.ts';
import { createPrinter, formatOf } from '../output/resources.ts';
import { ClientCommand } from './command.ts';

export abstract class ListCommand<T> extends ClientCommand {
  output = Option.String('-o,--output', { description: 'table, wide, json, yaml or name' });

  protected abstract readonly listing: Listing<T>;
  /** In the order in which they are shown. Throws CliError. */
  protected abstract list(client: Client): Promise<T[]>;

  override async execute(): Promise<void> {
    const format = formatOf(this.output);
    const client = await this.connect();
    const found = await this.list(client);
    // Printed with the items of its own kind only.
    const kind = this.listing as Listing<unknown>;
    const { stdout, clock } = this.context;
    stdout.write(await createPrinter({ kind, format, single: false })(found, clock.now()));
    if (found.length === 0 && format !== 'json' && format !== 'yaml') this.note(`No ${kind.plural} found.`);
  }
}
