import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { it } from 'node:test';
import { withTable } from './settings-table.ts';

it('the settings in the README are those of the schema', () => {
  const text = readFileSync(new URL('../../README.md', import.meta.url), 'utf8');
  assert.equal(text, withTable(text), 'run `npm run docs`');
});
