import assert from 'node:assert/strict';
import { it } from 'node:test';
import { PullOutput } from '../../../../controllers/engine/docker/pull-output.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const layer = (id: string, status: string, current?: number, total?: number) => ({
  ...{ id, status },
  progressDetail: current === undefined ? {} : { current, total },
});
const [one, two] = ['924b0cb0fd27', 'e20e37ccf730'];

it('says of each layer what becomes of it, once, and how far all are now and then', async () => {
  const lines: string[] = [];
  const clock = new ManualClock();
  const output = new PullOutput(clock, (line) => void lines.push(line));
  output.read({ status: 'Pulling from shop/web', id: '1' });
  output.read(layer(one, 'Already exists'));
  output.read(layer(two, 'Pulling fs layer'));
  for (let percent = 0; percent <= 100; percent++) {
    output.read(layer(two, 'Downloading', percent * 2 ** 20, 100 * 2 ** 20));
    await clock.advance(250);
  }
  output.read(layer(two, 'Verifying Checksum'));
  output.read(layer(two, 'Download complete'));
  for (let part = 0; part < 50; part++) output.read(layer(two, 'Extracting', part, 50));
  output.read(layer(two, 'Pull complete'));
  output.read({ status: 'Status: Downloaded newer image for shop/web:1' });
  assert.deepEqual(lines, [
    `${one}: is there already`,
    `${two}: 100.0 MiB to download`,
    '40.0 MiB of 100.0 MiB so far',
    '80.0 MiB of 100.0 MiB so far',
    `${two}: is unpacked`,
    `${two}: done`,
  ]);
});

it('says each time that a layer is tried again, and not every second', () => {
  const lines: string[] = [];
  const output = new PullOutput(new ManualClock(), (line) => void lines.push(line));
  for (const wait of [5, 10]) {
    output.read(layer(one, 'Downloading', 1, 10));
    for (let left = wait; left > 0; left--) output.read(layer(one, `Retrying in ${left} seconds`));
  }
  assert.deepEqual(lines, [
    `${one}: 10 B to download`,
    `${one}: broke off, and is tried again`,
    `${one}: broke off, and is tried again`,
  ]);
});

it('knows whose turn it is', () => {
  const output = new PullOutput(new ManualClock(), () => undefined);
  assert.equal(output.phase, 'registry');
  for (const [event, phase] of [
    [layer(one, 'Waiting'), 'queue'],
    [layer(two, 'Pulling fs layer'), 'registry'],
    [layer(two, 'Downloading', 1, 10), 'registry'],
    // Its place is for the one that waits.
    [layer(two, 'Download complete'), 'registry'],
    [layer(one, 'Downloading', 1, 10), 'registry'],
    [layer(two, 'Extracting', 1, 10), 'registry'],
    [layer(one, 'Download complete'), 'unpacking'],
    [layer(two, 'Pull complete'), 'unpacking'],
    [layer(one, 'Pull complete'), 'registry'],
  ] as const) {
    output.read(event);
    assert.equal(output.phase, phase, event.status);
  }
});

it('shows nothing of events that it does not know', () => {
  const lines: string[] = [];
  const output = new PullOutput(new ManualClock(), (line) => void lines.push(line));
  for (const event of [
    {},
    { id: 1, status: 2 },
    { id: one, status: 'Downloading', progressDetail: 'x' },
    { id: '\u001b[2J', status: 'Pull complete' },
  ])
    output.read(event);
  assert.deepEqual(lines, []);
});
