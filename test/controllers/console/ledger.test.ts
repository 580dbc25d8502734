import assert from 'node:assert/strict';
import { readdir, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { it } from 'node:test';
import { openLedger } from '../../../controllers/console/ledger.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const entry = (mark: string) => ({ container: 'c-1', exec: 'e-1', mark });

it('is there for the next one that opens it, until it is removed', async () => {
  const dir = join(temporaryDirectory(), 'consoles');
  const ledger = await openLedger(dir);
  assert.equal((await stat(dir)).mode & 0o777, 0o700);
  await ledger.add(entry('a'));
  await ledger.add(entry('b'));
  const next = await openLedger(dir);
  const marks = (await next.list()).sort((one, other) => one.mark.localeCompare(other.mark));
  assert.deepEqual(marks, [entry('a'), entry('b')]);
  await next.remove('a');
  await next.remove('a');
  assert.deepEqual(await ledger.list(), [entry('b')]);
});

it('drops an entry that was not finished, and names one that is none', async () => {
  const dir = temporaryDirectory();
  await writeFile(join(dir, 'a.json.new'), '{"container":"c');
  const ledger = await openLedger(dir);
  assert.deepEqual(await readdir(dir), []);
  for (const text of ['', '{}', '{"container":"","exec":"e","mark":"m"}']) {
    await writeFile(join(dir, 'b.json'), text);
    await assert.rejects(ledger.list(), /b\.json is no record of a console's command: remove it/);
  }
});
