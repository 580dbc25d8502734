/**
 * Runs tests: `node test/run.ts [group …]`, all groups when none is named. Starts one real engine for all of them, installing
 * it when the machine has none. A test that is skipped or left open is a failure: what does not run proves nothing.
 */
import { globSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { run } from 'node:test';
import { spec } from 'node:test/reporters';
import { ensureBaseImage, startTestEngine } from './support/engine.ts';

const groups = {
  unit: 'test/{specs,api,controllers,ingress,cli,config}/**/*.test.ts',
  contract: 'test/contract/**/*.test.ts',
  sim: 'test/sim/**/*.test.ts',
  e2e: 'test/e2e/**/*.test.ts',
} as const;

type Group = keyof typeof groups;

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in groups));
if (unknown.length > 0) {
  process.stderr.write(
    `no such group: ${unknown.join(', ')} (there are ${Object.keys(groups).join(', ')})\n`,
  );
  process.exit(2);
}

const chosen = (asked.length > 0 ? asked : Object.keys(groups)) as Group[];
const engine = await startTestEngine();
let failures = 0;
try {
  await ensureBaseImage(engine.endpoint);
  process.env['SVC_TEST_ENGINE'] = engine.endpoint;
  for (const group of chosen) failures += await runGroup(group);
} finally {
  await engine.stop();
}
process.exitCode = failures > 0 ? 1 : 0;

/** @returns how many tests failed, were skipped or left open */
async function runGroup(group: Group): Promise<number> {
  const files = globSync(groups[group]).sort();
  process.stdout.write(`\n── ${group}: ${files.length} files\n`);
  if (files.length === 0) return 1;
  let bad = 0;
  const stream = run({
    files,
    concurrency: availableParallelism(),
    timeout: 300_000,
    execArgv: ['--import', './test/support/compile-cache.ts'],
  });
  stream.on('test:fail', () => {
    bad++;
  });
  stream.on('test:pass', ({ name, skip, todo }) => {
    if (skip === undefined && todo === undefined) return;
    bad++;
    process.stdout.write(`${name}: skipped or left open, which counts as a failure\n`);
  });
  for await (const line of stream.compose(new spec())) process.stdout.write(line as string);
  return bad;
}
