import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runsOn } from '../../../../controllers/engine/docker/platform.ts';

const cases: [machine: string, platforms: string[], runs: boolean][] = [
  ['linux/amd64', ['linux/amd64'], true],
  ['linux/amd64', ['linux/arm64', 'linux/amd64', 'unknown/unknown'], true],
  ['linux/amd64', ['linux/arm64'], false],
  ['linux/amd64', ['windows/amd64'], false],
  ['linux/amd64', ['linux/386'], true],
  ['linux/arm64', ['linux/arm'], true],
  ['linux/arm64', ['linux/386'], false],
  // Nobody said.
  ['linux/amd64', [], true],
  ['linux/amd64', ['unknown/unknown'], true],
  ['linux/amd64', ['/'], true],
];

for (const [machine, platforms, runs] of cases)
  it(`${machine} ${runs ? 'runs' : 'does not run'} an image for ${platforms.join(' and ') || 'nobody knows what'}`, () =>
    assert.equal(runsOn(machine, platforms), runs));
