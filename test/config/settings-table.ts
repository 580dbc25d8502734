/** The README's table of settings, made from specs/settings.ts. `node test/config/settings-table.ts` writes it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { settings } from '../../specs/settings.ts';

const readme = new URL('../../README.md', import.meta.url);
const begin = '<!-- settings: made from specs/settings.ts by `npm run docs` -->';
const end = '<!-- /settings -->';

/** The README with the table as it should be. */
export function withTable(text: string): string {
  const rows = settings.map(({ name, fallback, meaning }) => `| \`${name}\` | ${fallback} | ${meaning} |`);
  const table = ['| setting | default | meaning |', '|---|---|---|', ...rows].join('\n');
  const [before = '', rest = ''] = text.split(begin);
  const after = rest.split(end)[1] ?? '';
  return `${before}${begin}\n${table}\n${end}${after}`;
}

if (import.meta.main) writeFileSync(readme, withTable(readFileSync(readme, 'utf8')));
