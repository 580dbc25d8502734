/**
 * `npm run quickstart`: from nothing to a pushed, served example on this machine, with a data directory of its own.
 * Stays in the foreground until Ctrl-C. `--yes` answers every question, `--clean` removes everything again.
 */
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { ensureBaseImage } from './base-image.ts';
import { clean, stopManagedEngine } from './clean.ts';
import { clientOf, launcher } from './client.ts';
import { ensureAccount, ensureService, example, fetchThroughIngress } from './deploy.ts';
import { findEngine } from './engine.ts';
import { startNode, stopNode } from './node.ts';
import { placeOf, type Place } from './place.ts';
import { createSteps, type Steps } from './step.ts';

const { values } = parseArgs({
  options: {
    yes: { type: 'boolean', short: 'y', default: false },
    clean: { type: 'boolean', default: false },
    once: { type: 'boolean', default: false },
    'data-dir': { type: 'string' },
  },
});

const place = placeOf(values['data-dir'], process.env);
const steps = createSteps(process.stdout, () => performance.now());
const asking = { ask: !values.yes && process.stdin.isTTY, steps };

try {
  if (values.clean)
    await steps.run('Removing everything the quickstart made', async () =>
      clean(place, await knownEngine(place)),
    );
  else await start();
} catch (error) {
  process.stderr.write(`\n${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}

async function start(): Promise<void> {
  const svc = clientOf(place);
  const engine = await steps.run(
    'Finding a Docker engine',
    () => findEngine(asking),
    (found) => (found === 'managed' ? 'none runs: the node starts one of its own' : found),
  );
  await steps.run(
    'Starting svc serve',
    () => startNode(place, engine, svc),
    (how) => how,
  );
  await steps.run(
    'Account',
    () => ensureAccount(place, svc),
    (how) => how,
  );
  const endpoint = await steps.run(
    'Asking the node for its engine',
    () => nodeEngine(svc),
    (found) => found,
  );
  await writeFile(join(place.dataDir, 'quickstart.engine'), endpoint);
  await steps.run(
    'Base image of the example',
    () => ensureBaseImage(endpoint, asking),
    (how) => how,
  );
  await steps.run(
    'Project and service',
    () => ensureService(svc),
    (how) => how,
  );
  await steps.run(
    'svc push examples/hello',
    () => svc(['push', '--path', example]),
    (said) => lastLine(said),
  );
  const host = `hello.demo.localhost`;
  const answer = await steps.run(
    'Asking it through the ingress',
    () => fetchThroughIngress(place, host),
    ({ status }) => String(status),
  );
  summary(`http://${host}:${place.httpPort}/`, answer.text, steps);
  if (values.once) return;
  await interrupted();
  await steps.run('\nStopping', async () => {
    await stopNode(place);
    if (engine === 'managed') await stopManagedEngine(place);
  });
  steps.say('Run this again to go on where you were; with -- --clean to remove everything.');
}

async function nodeEngine(svc: ReturnType<typeof clientOf>): Promise<string> {
  const node = JSON.parse(await svc(['node', 'status', '-o', 'json'])) as { engine: { endpoint: string } };
  return node.engine.endpoint;
}

async function knownEngine({ dataDir }: Place): Promise<string | undefined> {
  return readFile(join(dataDir, 'quickstart.engine'), 'utf8').catch(() => undefined);
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? '';
}

function summary(url: string, text: string, out: Steps): void {
  out.say(`\n${url} answers:\n`);
  out.say(text.trim().replaceAll(/^/gm, '    '));
  out.say(`\nTo use it from another terminal:\n`);
  out.say(`    export SVC_CONFIG_DIR=${place.configDir}`);
  out.say(`    alias svc=${launcher}`);
  out.say(`    svc describe service hello -p demo`);
  if (!values.once) out.say(`\nCtrl-C stops it.`);
}

function interrupted(): Promise<void> {
  return new Promise((resolve) => {
    // Keeps the process alive: nothing else does.
    const alive = setInterval(() => undefined, 60_000);
    for (const signal of ['SIGINT', 'SIGTERM'] as const) {
      process.once(signal, () => {
        clearInterval(alive);
        resolve();
      });
    }
  });
}
