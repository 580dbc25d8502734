import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { after, describe, it } from 'node:test';
import { runDirOf } from '../../cli/daemon/directories.ts';
import { freePort } from '../support/free-port.ts';
import { temporaryDirectory } from '../support/temporary-directory.ts';

const dataDir = join(temporaryDirectory(), 'data');

/** The level of pino's lines. */
const warn = 40;

interface Line {
  level: number;
  msg: string;
}

describe('a node whose API is on a public address', () => {
  after(async () => {
    const nodeId = (await readFile(join(dataDir, 'node.id'), 'utf8')).trim();
    await rm(runDirOf(nodeId, process.env), { recursive: true, force: true });
  });

  it('says so, loudly, before it listens there', async () => {
    const [api, http] = [await freePort(), await freePort()];
    const flags = [
      ...['--data-dir', dataDir, '--engine', `unix://${join(dataDir, 'no-engine.sock')}`],
      ...['--api-listen', `0.0.0.0:${api}`, '--http-listen', `127.0.0.1:${http}`],
      ...['--https-listen', ''],
      ...['--metrics-listen', '', '--ingress-workers', '1'],
    ];
    const node = spawn(process.execPath, ['cli/main.ts', 'serve', ...flags], {
      stdio: ['ignore', 'inherit', 'pipe'],
    });
    const lines: Line[] = [];
    for await (const text of createInterface(node.stderr)) {
      lines.push(JSON.parse(text) as Line);
      if (lines.at(-1)?.msg === 'the node is up') node.kill('SIGTERM');
    }
    if (node.exitCode === null) await once(node, 'exit');
    assert.equal(node.exitCode, 0);
    const warnings = lines
      .filter(({ level, msg }) => level === warn && msg.includes('TLS'))
      .map(({ msg }) => msg);
    assert.equal(warnings.length, 1);
    assert.match(String(warnings[0]), new RegExp(`^the API listens on 0\\.0\\.0\\.0:${api} without TLS`));
    const [warned, listening] = ['without TLS', 'Server listening'].map((words) =>
      lines.findIndex(({ msg }) => msg.includes(words)),
    ) as [number, number];
    assert.ok(warned < listening);
  });
});
