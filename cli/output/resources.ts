/** Prints a list of resources, or one, in the format of `-o`. */
import type { Listing } from '../kinds/kind.ts';
import { usageError } from '../errors.ts';
import { didYouMean } from '../nearest.ts';
import { json, yaml } from './document.ts';
import { alignRows, rowsOf } from './table.ts';
import { cleanLine } from './text.ts';

const formats = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type Format = (typeof formats)[number];

/** The format that a flag names; `table` where there is none. Throws a usage error on any other word. */
export function formatOf(flag: string | undefined): Format {
  const found = formats.find((format) => format === (flag ?? 'table'));
  if (found !== undefined) return found;
  throw usageError(`-o takes ${formats.join(', ')}, not "${flag}".${didYouMean(flag ?? '', formats)}`);
}

/** The same for one thing that is shown alone and has no table: `table` is its lines for people. */
export function documentFormatOf(flag: string | undefined): 'table' | 'json' | 'yaml' {
  const found = (['table', 'json', 'yaml'] as const).find((format) => format === (flag ?? 'table'));
  if (found !== undefined) return found;
  throw usageError(`-o takes table, json or yaml here, not "${flag}".`);
}

export interface PrinterOptions {
  kind: Listing<unknown>;
  format: Format;
  /** One resource was asked for by name: its document stands alone, not in a list. */
  single: boolean;
}

/** Gives the text for some resources. Called again (`-w`), it goes on below what it gave before. */
export type Printer = (items: readonly unknown[], now: number) => Promise<string>;

export function createPrinter({ kind, format, single }: PrinterOptions): Printer {
  let isFirst = true;
  const widths: number[] = [];
  const printers: Record<Format, Printer> = {
    table: (items, now) => Promise.resolve(lines(items, now, false)),
    wide: (items, now) => Promise.resolve(lines(items, now, true)),
    name: (items) =>
      Promise.resolve(items.map((item) => `${kind.singular}/${cleanLine(kind.name(item))}\n`).join('')),
    json: (items) => Promise.resolve(documents(items).map(json).join('')),
    yaml: async (items) => {
      const texts = await Promise.all(documents(items).map(yaml));
      return `${isFirst ? '' : '---\n'}${texts.join('---\n')}`;
    },
  };

  /** The first answer is a list as the API gives it; after that, and for a single one, each stands alone. */
  function documents(items: readonly unknown[]): unknown[] {
    return single || !isFirst ? [...items] : [{ items, next_cursor: null }];
  }

  function lines(items: readonly unknown[], now: number, wide: boolean): string {
    if (items.length === 0) return '';
    const columns = kind.columns(now).filter((column) => wide || column.wide !== true);
    const header = isFirst ? [columns.map((column) => column.header)] : [];
    return alignRows([...header, ...rowsOf(columns, items)], undefined, widths)
      .map((line) => `${line}\n`)
      .join('');
  }

  return async (items, now) => {
    const text = await printers[format](items, now);
    if (items.length > 0) isFirst = false;
    return text;
  };
}
