/** `svc gc` */
import { Option } from 'clipanion';
import type { GarbageItem, GarbageReport } from '../../specs/gc.ts';
import { formatBytes } from '../../specs/bytes.ts';
import { ExitCode } from '../errors.ts';
import { isTerminal } from '../output/colour.ts';
import { json, yaml } from '../output/document.ts';
import { documentFormatOf } from '../output/resources.ts';
import { table, type Column } from '../output/table.ts';
import { ClientCommand } from './command.ts';

const columns: readonly Column<GarbageItem>[] = [
  { header: 'KIND', cell: ({ kind }) => kind },
  { header: 'BYTES', cell: ({ bytes }) => (bytes === null ? 'unknown' : formatBytes(bytes)) },
  { header: 'NAME', cell: ({ name }) => name },
  { header: 'ACTION', cell: action },
  { header: 'REASON', cell: ({ reason, error }) => (error === null ? reason : `${reason} ${error}`) },
];

function action({ action: planned, removed, error }: GarbageItem): string {
  if (planned === 'report') return 'kept';
  if (removed) return 'removed';
  return error === null ? 'would go' : 'failed';
}

export class GcCommand extends ClientCommand {
  static override paths = [['gc']];
  static override usage = {
    category: 'Node',
    description: 'Remove what nothing needs any more, and say why',
    details: `
      Only a super-admin may. The node does the same by itself, after a while, and at once when a disk is below its floor.
      Images that a deployment runs or may be rolled back to stay; volumes are listed, never taken; what other nodes and
      people have at the same engine is not touched. Ends with 1 when something could not be removed.
    `,
    examples: [
      ['What would go, and how many bytes', 'svc gc --dry-run'],
      ['Remove it', 'svc gc'],
    ] as [string, string][],
  };

  dryRun = Option.Boolean('--dry-run', false, { description: 'only list it' });
  output = Option.String('-o,--output', { description: 'table, json or yaml' });

  override async execute(): Promise<number> {
    const format = documentFormatOf(this.output);
    const client = await this.connect();
    const { stdout, stderr } = this.context;
    if (format === 'table' && isTerminal(stderr))
      this.note('Looking through the engine and the data directory; this may take a minute.');
    const report = await client.collectGarbage(this.dryRun);
    if (format === 'json') stdout.write(json(report));
    else if (format === 'yaml') stdout.write(await yaml(report));
    else this.show(report);
    return report.items.some(({ error }) => error !== null) ? ExitCode.failed : ExitCode.done;
  }

  private show({ items, dry_run: dryRun, bytes_would_free: all, bytes_freed: freed }: GarbageReport): void {
    if (items.length > 0) for (const line of table(columns, items)) this.print(line);
    const goes = items.filter(({ action: planned }) => planned === 'remove');
    if (goes.length === 0) this.note('There is nothing to remove.');
    else if (dryRun) this.note(`${count(goes)} would go: ${formatBytes(all)}.`);
    else this.note(`${count(goes.filter(({ removed }) => removed))} removed: ${formatBytes(freed)} freed.`);
  }
}

function count(items: readonly GarbageItem[]): string {
  return items.length === 1 ? '1 thing' : `${items.length} things`;
}
