import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { describe, it } from 'node:test';
import { BuildkitOutput, ClassicOutput } from '../../../../controllers/engine/docker/build-output.ts';
import { ProgressFailure, progressEvents } from '../../../../controllers/engine/progress.ts';
import { createMasks } from '../../../../specs/mask.ts';

const limits = { memoryBytes: 64 * 2 ** 20, cpus: 1 };
const builders = { buildkit: BuildkitOutput, classic: ClassicOutput };
const from = { buildkit: '[1/2] FROM docker.io/library/busybox', classic: '[1/3] FROM busybox' };
const step = { buildkit: '[2/2] RUN', classic: '[2/3] RUN' };

/** Reads what an engine said. */
async function replay(builder: keyof typeof builders, what: string, secrets: readonly string[] = []) {
  const lines: string[] = [];
  const output = new builders[builder]({
    limits,
    mask: () => createMasks(() => secrets).lines('prj'),
    onLine: ({ stream, line }) => void lines.push(`${stream} ${line}`),
  });
  const file = new URL(`../../../corpora/build-progress/${builder}-${what}.ndjson`, import.meta.url);
  let failure: string | undefined;
  try {
    for await (const event of progressEvents(createReadStream(file) as AsyncIterable<Buffer>))
      output.read(event);
  } catch (error) {
    assert.ok(error instanceof ProgressFailure);
    failure = output.explain(error.message);
  }
  return { lines, output, failure };
}

const said = (builder: keyof typeof builders, what: string, exit = 0, secrets?: readonly string[]) =>
  replay(builder, what, secrets).then((told) => ({
    ...told,
    run: `${step[builder]} echo hellø; printf 'err\\nor' >&2; exit ${exit}`,
  }));

for (const builder of ['buildkit', 'classic'] as const) {
  describe(`output of the ${builder} builder`, () => {
    it('names each step and tells what it prints, by stream', async () => {
      const { lines, output, failure, run } = await said(builder, 'built');
      const steps = lines.filter((line) => line.startsWith('stdout ['));
      assert.deepEqual(
        steps,
        [from[builder], run, ...(builder === 'classic' ? ['[3/3] CMD ["sh"]'] : [])].map(
          (text) => `stdout ${text}`,
        ),
      );
      assert.deepEqual(
        lines.filter((line) => !line.includes('[')),
        builder === 'classic'
          ? ['stdout hellø', 'stderr err', 'stderr or']
          : ['stdout hellø', 'stderr err', 'stderr or'],
      );
      assert.equal(failure, undefined);
      assert.match(output.imageId ?? '', /^sha256:[0-9a-f]{64}$/);
      assert.equal(output.ranCommand, true);
    });

    it('says what came from the cache', async () => {
      const { lines, output, run } = await said(builder, 'cached');
      assert.ok(lines.includes(`stdout CACHED ${run}`), lines.join('\n'));
      assert.ok(!lines.some((line) => line.includes('hellø') && !line.includes('RUN')));
      assert.match(output.imageId ?? '', /^sha256:[0-9a-f]{64}$/);
      assert.equal(output.ranCommand, false);
    });

    it('explains a failure by its step, its code and its last lines', async () => {
      const { failure, output, run } = await said(builder, 'failed', 3);
      assert.equal(failure, `${run}: exit code 3\nhellø\nerr\nor`);
      assert.equal(output.imageId, undefined);
    });

    it('shows no secret that a step prints, whole or over lines, also in what explains a failure', async () => {
      const { failure, lines, run } = await said(builder, 'failed', 3, ['hellø', 'error']);
      assert.deepEqual(
        lines.filter((line) => !line.includes('[')),
        ['stdout ***', 'stderr err', 'stderr ***'],
      );
      assert.equal(failure, `${run}: exit code 3\n***\nerr\n***`);
    });
  });
}

describe('ClassicOutput', () => {
  const read = (...events: object[]) => {
    const lines: string[] = [];
    const output = new ClassicOutput({
      limits,
      onLine: ({ stream, line }) => void lines.push(`${stream} ${line}`),
    });
    for (const event of events) output.read(event as Record<string, unknown>);
    return { lines, output };
  };

  it('keeps the builder’s own lines apart from output that did not end its line', () => {
    const { lines } = read(
      { stream: 'Step 1/2 : RUN a' },
      { stream: '\n' },
      { stream: 'partial' },
      { stream: 'Removing intermediate container 0123456789ab\n' },
      { stream: 'Step 2/2 : RUN b' },
      { stream: '\n' },
    );
    assert.deepEqual(lines, ['stdout [1/2] RUN a', 'stdout partial', 'stdout [2/2] RUN b']);
  });

  it('tells of a pull without every percent of it', () => {
    const { lines } = read(
      { status: 'Pulling fs layer', id: 'a' },
      { status: 'Downloading', id: 'a', progress: '[=>  ]' },
      { status: 'Digest: sha256:0' },
    );
    assert.deepEqual(lines, ['stdout a: Pulling fs layer', 'stdout Digest: sha256:0']);
  });

  it('says that a step was killed over the memory of a build', () => {
    const { output } = read({ stream: 'Step 1/1 : RUN make\n' });
    assert.equal(
      output.explain("The command '/bin/sh -c make' returned a non-zero code: 137"),
      '[1/1] RUN make: exit code 137, killed: a build may use 64 MiB of memory',
    );
  });

  it('knows the code of a step whose command is long', () => {
    const { output } = read({ stream: 'Step 1/1 : RUN make\n' });
    const command = `echo exit code 9 ${'x'.repeat(500)}`;
    assert.equal(
      output.explain(`The command '/bin/sh -c ${command}' returned a non-zero code: 3`),
      '[1/1] RUN make: exit code 3',
    );
  });

  it('repeats ten lines at most, and no long one in full', () => {
    const printed = Array.from({ length: 30 }, (_, index) => ({ stream: `${index} ${'x'.repeat(500)}\n` }));
    const { output } = read({ stream: 'Step 1/1 : RUN make\n' }, ...printed);
    const [first, ...tail] = output.explain('returned a non-zero code: 1').split('\n');
    assert.equal(first, '[1/1] RUN make: exit code 1');
    assert.deepEqual(
      tail.map((line) => [line.split(' ')[0], line.length]),
      Array.from({ length: 10 }, (_, index) => [String(20 + index), 200]),
    );
  });
});
