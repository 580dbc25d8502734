/** Builds on a real engine, with each builder: capped, cancelled, and out of memory alone. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { connect, type Connection } from '../../../../controllers/engine/connect.ts';
import { BuildCap } from '../../../../controllers/engine/docker/build-cap.ts';
import { build } from '../../../../controllers/engine/docker/build.ts';
import { findImage, removeImage } from '../../../../controllers/engine/docker/images.ts';
import { systemClock } from '../../../../controllers/runtime/system-clock.ts';
import { contextOf } from '../../../support/build-context.ts';
import { ensureBaseImage, startPrivateEngine } from '../../../support/engine.ts';
import { eventually } from '../../../support/eventually.ts';
import { limitsOf, processesWith } from '../../../support/processes.ts';

const memoryBytes = 48 * 2 ** 20;
const limits = { memoryBytes, cpus: 0.5 };

let connection: Connection;
let remove: () => Promise<void>;

before(async () => {
  // One of its own: builds of others would share the cap.
  const { managed, ...started } = await startPrivateEngine();
  remove = started.remove;
  await ensureBaseImage(managed.place.endpoint);
  connection = await connect(managed.place.endpoint, systemClock);
});
after(() => remove());

for (const builder of ['buildkit', 'classic'] as const) {
  describe(`a build with the ${builder} builder`, () => {
    const unique = randomBytes(4).toString('hex');
    const tag = `svc/${builder}-${unique}:a`;

    /** Starts a build of these instructions on top of the base image. */
    function start(...instructions: string[]) {
      return startFor(unique, ...instructions);
    }

    /** The same, for a scope of its own. */
    function startFor(scope: string, ...instructions: string[]) {
      const cap =
        builder === 'classic' ? undefined : new BuildCap(connection.cgroupParent ?? assert.fail('no cap'));
      const cancel = new AbortController();
      const lines: string[] = [];
      const image = build(connection, systemClock, cap, {
        context: contextOf({ Dockerfile: ['FROM busybox', ...instructions].join('\n') }),
        dockerfile: 'Dockerfile',
        tag,
        labels: { 'svc.test': unique },
        cacheScope: scope,
        limits,
        onLine: ({ line }) => void lines.push(line),
        signal: cancel.signal,
      });
      image.catch(() => undefined);
      return { image, lines, cancel };
    }

    after(() => removeImage(connection, systemClock, tag));

    it('takes its base image from the engine and labels what it makes', async () => {
      const { image } = start(`RUN echo ${unique}`, 'CMD ["true"]');
      const id = await image;
      assert.equal(await findImage(connection, systemClock, tag), id);
      const inspected = await connection.quick.getImage(id).inspect();
      assert.equal(inspected.Config.Labels['svc.test'], unique);
    });

    it('runs its steps under the caps, and leaves none running when it is cancelled', async () => {
      const nap = `1000.${Number.parseInt(unique, 16)}`;
      const { image, lines, cancel } = start(`RUN echo started; sleep ${nap}`);
      const sleepers = () => processesWith(nap);
      await eventually(async () => lines.includes('started') && (await sleepers()).length > 0);
      const [pid = 0] = await sleepers();
      assert.deepEqual(await limitsOf(pid), limits);
      cancel.abort();
      await assert.rejects(image, { code: 'aborted' });
      await eventually(async () => (await sleepers()).length === 0);
    });

    it('kills a step that uses too much memory, and nothing else', async () => {
      const { image } = start(`RUN echo before ${unique}; tail /dev/zero`);
      await assert.rejects(image, {
        code: 'refused',
        message: new RegExp(
          `RUN .*: exit code 137, killed: a build may use 48 MiB of memory\nbefore ${unique}$`,
        ),
      });
      await start(`RUN echo after ${unique}`).image;
    });

    // The classic builder knows no mounts.
    if (builder === 'buildkit')
      it('gives what steps cached to builds of the same scope alone', async () => {
        const cached = (what: string) => `RUN --mount=type=cache,target=/cache ${what}`;
        await startFor(`${unique}-a`, cached(`echo ${unique} > /cache/kept`)).image;
        const same = startFor(`${unique}-a`, cached('echo found $(cat /cache/kept)'));
        await same.image;
        assert.ok(same.lines.includes(`found ${unique}`), same.lines.join('\n'));
        const other = startFor(`${unique}-b`, cached('echo found $(ls /cache) nothing'));
        await other.image;
        assert.ok(other.lines.includes('found nothing'), other.lines.join('\n'));
      });

    it('explains a Dockerfile that cannot be read', async () => {
      await assert.rejects(start('NONSENSE').image, {
        code: 'refused',
        message: /unknown instruction: NONSENSE/,
      });
    });

    it('explains a base image that is not to be had', async () => {
      const cancel = start('FROM svc.invalid/nothing:here');
      await assert.rejects(cancel.image, { code: 'refused', message: /svc\.invalid/ });
    });
  });
}

describe('a build with BuildKit', () => {
  it('leaves the engine without a cap when it is over', async () => {
    const cap = new BuildCap(connection.cgroupParent ?? assert.fail('no cap'));
    const lift = await cap.acquire(limits);
    await lift?.(false);
    const nap = `1001.${randomBytes(4).readUInt32BE()}`;
    const session = new AbortController();
    const uncapped = build(
      connection,
      systemClock,
      { acquire: () => Promise.resolve(() => Promise.resolve()) } as never,
      {
        context: contextOf({ Dockerfile: `FROM busybox\nRUN sleep ${nap}` }),
        dockerfile: 'Dockerfile',
        tag: 'svc/uncapped:a',
        labels: {},
        cacheScope: '',
        limits,
        onLine: () => undefined,
        signal: session.signal,
      },
    );
    uncapped.catch(() => undefined);
    await eventually(async () => (await processesWith(nap)).length > 0);
    const [pid = 0] = await processesWith(nap);
    const { cpus } = await limitsOf(pid);
    assert.equal(cpus, Infinity);
    session.abort();
    await assert.rejects(uncapped, { code: 'aborted' });
  });
});
