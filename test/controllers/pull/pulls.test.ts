import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { EngineError } from '../../../controllers/engine/engine.ts';
import type { RegistryAuth } from '../../../controllers/engine/registry-request.ts';
import { PullError, type PullReason } from '../../../controllers/pull/failure.ts';
import { obtainImage, type ImageRequest } from '../../../controllers/pull/pulls.ts';
import { FakeEngine } from '../../support/fake-engine.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const tag = 'svc/svc-1:dep-1';
const auth: RegistryAuth = { server: 'ghcr.io', username: 'ada', password: 'correct-horse' };

let clock: ManualClock;
let engine: FakeEngine;
let lines: string[];
let digests: string[];
let credentials: RegistryAuth | undefined;

beforeEach(() => {
  clock = new ManualClock();
  engine = new FakeEngine(clock);
  [lines, digests, credentials] = [[], [], undefined];
});

const obtain = (reference: string, said: Partial<ImageRequest> = {}) =>
  obtainImage(
    {
      ...{ reference, tag, digest: null, projectId: 'prj_1', signal: new AbortController().signal },
      onDigest: (digest) => Promise.resolve(void digests.push(digest)),
      onLine: (line) => void lines.push(line),
      ...said,
    },
    { engine, clock, credentials: () => Promise.resolve(credentials) },
  );

/** Lets time pass until it settles. */
async function passing<T>(running: Promise<T>): Promise<T> {
  const state = { isOver: false };
  const mark = (): void => void (state.isOver = true);
  running.then(mark, mark);
  for (let steps = 0; !state.isOver && steps < 10_000; steps++) await clock.advance(500);
  return running;
}

/** Lets time pass until it settles. @returns how it failed, and how many seconds that took */
async function failure(running: Promise<unknown>): Promise<{ error: unknown; seconds: number }> {
  const begun = clock.now();
  const error = await passing(
    running.then(
      () => undefined,
      (reason: unknown) => reason,
    ),
  );
  return { error, seconds: Math.round((clock.now() - begun) / 1_000) };
}

async function verdict(
  running: Promise<unknown>,
): Promise<{ reason: PullReason; message: string; seconds: number }> {
  const { error, seconds } = await failure(running);
  assert.ok(error instanceof PullError, String(error));
  return { reason: error.reason, message: error.message, seconds };
}

describe('an external image', () => {
  it('is pulled by the digest that its tag is now, and kept under the tag of its deployment', async () => {
    const digest = engine.registries.publish('ghcr.io/shop/web:1.4');
    const pulled = await obtain('ghcr.io/shop/web:1.4');
    assert.equal(pulled.digest, digest);
    assert.deepEqual(digests, [digest]);
    assert.equal(await engine.findImage(tag), pulled.image);
    assert.deepEqual(lines, [`Pulling ${digest}`, '0123456789ab: done']);
  });

  it('is not pulled again, and the log says so', async () => {
    const digest = engine.registries.publish('ghcr.io/shop/web:1.4');
    const { image } = await obtain('ghcr.io/shop/web:1.4');
    lines = [];
    const again = await obtain('ghcr.io/shop/web:1.4', { tag: 'svc/svc-1:dep-2' });
    assert.deepEqual(again, { image, digest });
    assert.deepEqual(lines, [`The engine has ${digest} already: nothing is pulled`]);
  });

  it('is the one that an earlier try found, also when its tag has moved since', async () => {
    const first = engine.registries.publish('ghcr.io/shop/web:1.4');
    engine.registries.publish('ghcr.io/shop/web:1.4');
    assert.equal((await obtain('ghcr.io/shop/web:1.4', { digest: first })).digest, first);
    assert.deepEqual(digests, []);
  });

  it('of Docker Hub may be called by its short name', async () => {
    const digest = engine.registries.publish('docker.io/library/nginx:latest');
    assert.match(digest, /^docker\.io\/library\/nginx@/);
    assert.equal((await obtain('nginx')).digest, digest);
  });

  it('of a registry with a password is asked for as the project', async () => {
    engine.registries.guard('ghcr.io', auth.username, auth.password);
    const digest = engine.registries.publish('ghcr.io/shop/web:1.4');
    const anonymous = await verdict(obtain('ghcr.io/shop/web:1.4'));
    assert.equal(anonymous.reason, 'RegistryDenied');
    assert.match(anonymous.message, /svc registries add ghcr\.io --username NAME/);
    credentials = { ...auth, password: 'wrong-horse' };
    const wrong = await verdict(obtain('ghcr.io/shop/web:1.4'));
    assert.equal(wrong.reason, 'RegistryDenied');
    assert.match(wrong.message, /asked as ada.*svc registries remove ghcr\.io/);
    credentials = auth;
    assert.equal((await obtain('ghcr.io/shop/web:1.4')).digest, digest);
    assert.ok(![...lines, anonymous.message, wrong.message].join('\n').includes('horse'));
  });

  it('that the engine has is not given to a project that the registry does not give it to', async () => {
    engine.registries.guard('ghcr.io', auth.username, auth.password);
    const digest = engine.registries.publish('ghcr.io/shop/web:1.4');
    credentials = auth;
    await obtain('ghcr.io/shop/web:1.4');
    credentials = undefined;
    assert.equal((await verdict(obtain(digest, { tag: 'svc/svc-2:dep-9' }))).reason, 'RegistryDenied');
    assert.equal(await engine.findImage('svc/svc-2:dep-9'), undefined);
  });

  it('that nobody has is a verdict at once', async () => {
    const { reason, message } = await verdict(obtain('ghcr.io/shop/nothing:1'));
    assert.equal(reason, 'ImageNotFound');
    assert.deepEqual(lines, []);
    assert.match(message, /Check name and tag of ghcr\.io\/shop\/nothing:1/);
  });

  it('that was lost between pull and tag is tried again by whoever asked', async () => {
    engine.registries.publish('ghcr.io/shop/web:1.4');
    const failing = {
      ...bound(engine),
      tagImage: () => Promise.reject(new EngineError('not_found', 'gone')),
    };
    const request = { reference: 'ghcr.io/shop/web:1.4', tag, digest: null, projectId: 'prj_1' };
    const rest = {
      onDigest: () => Promise.resolve(),
      onLine: () => undefined,
      signal: new AbortController().signal,
    };
    const running = obtainImage(
      { ...request, ...rest },
      { engine: failing, clock, credentials: () => Promise.resolve(undefined) },
    );
    await assert.rejects(running, (error) => error instanceof EngineError && error.code === 'unavailable');
  });
});

describe('a registry that has trouble', () => {
  const patience = [
    ['unreachable', 'PullFailed', 31],
    ['stalled', 'PullTimedOut', 5],
    ['rate_limited', 'RegistryRateLimited', 105],
  ] as const;
  for (const [fault, reason, limit] of patience) {
    it(`(${fault}) is asked again for a while, and then it is a verdict`, async () => {
      engine.registries.publish('ghcr.io/shop/web:1.4');
      engine.registries.fail('ghcr.io', fault);
      await passing(obtain('ghcr.io/shop/web:1.4'));
      assert.equal(lines.filter((line) => /It is asked again in \d+ s$/.test(line)).length, 1);
      engine.registries.fail('ghcr.io', fault, 100);
      const given = await verdict(obtain('ghcr.io/shop/web:1.4'));
      assert.equal(given.reason, reason);
      assert.ok(Math.abs(given.seconds - limit) <= 5, String(given.seconds));
    });
  }

  for (const [fault, reason] of [
    ['platform', 'PlatformMismatch'],
    ['untrusted', 'PullFailed'],
    ['damaged', 'PullFailed'],
    ['full', 'PullFailed'],
    ['interrupted', 'PullFailed'],
  ] as const) {
    it(`(${fault}) that time does not mend is a verdict at once`, async () => {
      engine.registries.fail('ghcr.io', fault);
      const given = await verdict(obtain('ghcr.io/shop/web:1.4'));
      assert.equal(given.reason, reason);
      assert.deepEqual(lines, []);
      assert.match(given.message, /deploy (it )?again|deploy another/i);
    });
  }

  it('is asked again when it wants to be, and a long wish is left to whoever deploys', async () => {
    engine.registries.publish('ghcr.io/shop/web:1.4');
    engine.registries.limit('ghcr.io', 40_000);
    const begun = clock.now();
    await passing(obtain('ghcr.io/shop/web:1.4'));
    assert.ok(lines.some((line) => line.endsWith('It is asked again in 40 s')));
    assert.ok(clock.now() - begun >= 40_000);
    engine.registries.limit('ghcr.io', 6 * 3_600_000);
    const { reason, message, seconds } = await verdict(obtain('ghcr.io/shop/web:1.4'));
    assert.equal(reason, 'RegistryRateLimited');
    assert.ok(seconds <= 1, String(seconds));
    assert.match(message, /asked again in 6 h: deploy again then, or pull with credentials/);
  });

  it('says nothing for a while: whoever waits is told so', async () => {
    engine.registries.fail('ghcr.io', 'hangs');
    const controller = new AbortController();
    const running = failure(obtain('ghcr.io/shop/web:1.4', { signal: controller.signal }));
    await clock.advance(10_500);
    assert.deepEqual(lines, ['The registry ghcr.io has been asked for 10 s, and has not answered yet']);
    controller.abort();
    await running;
  });

  it('is not asked again for somebody who has gone, nor waited for', async () => {
    for (const fault of ['unreachable', 'hangs'] as const) {
      engine.registries.fail('ghcr.io', fault);
      const controller = new AbortController();
      const running = failure(obtain('ghcr.io/shop/web:1.4', { signal: controller.signal }));
      await clock.advance(500);
      controller.abort();
      const { error } = await running;
      assert.ok(error instanceof EngineError && error.code === 'aborted', String(error));
    }
  });
});

describe('an image that was made on this machine', () => {
  it('and is in no registry is used in the place of one, and the log says so', async () => {
    const id = engine.addImage('app:dev');
    for (const fault of ['not_found', 'unreachable', 'denied'] as const) {
      engine.registries.fail('docker.io', fault);
      lines = [];
      assert.deepEqual(await obtain('app:dev'), { image: id, digest: null });
      assert.equal(lines.length, 1);
      assert.match(lines[0] ?? '', /The image docker\.io\/library\/app:dev that was made on this machine/);
    }
    assert.equal(await engine.findImage(tag), id);
    assert.deepEqual(digests, []);
  });

  it('is never used in the place of one that the registry has', async () => {
    engine.addImage('app:dev');
    const digest = engine.registries.publish('app:dev');
    assert.equal((await obtain('app:dev')).digest, digest);
  });

  it('is not used where it may be an old copy', async () => {
    const digest = engine.registries.publish('ghcr.io/shop/web:1');
    const { image } = await obtain('ghcr.io/shop/web:1');
    await engine.tagImage(image, 'ghcr.io/shop/web:1');
    for (const reference of ['ghcr.io/shop/web:1', digest]) {
      engine.registries.fail('ghcr.io', 'unreachable', 6);
      assert.equal((await verdict(obtain(reference))).reason, 'PullFailed');
    }
  });

  it('is not used where credentials are refused', async () => {
    engine.addImage('app:dev');
    credentials = { ...auth, server: 'docker.io' };
    engine.registries.fail('docker.io', 'denied');
    assert.equal((await verdict(obtain('app:dev'))).reason, 'RegistryDenied');
  });

  it('is not used when it is that of a deployment, which may be of another project', async () => {
    engine.addImage('svc/svc-other:dep-other');
    assert.equal((await verdict(obtain('svc/svc-other:dep-other'))).reason, 'ImageNotFound');
  });
});

/** The part of the engine that a pull needs, as an object whose methods may be replaced. */
function bound(of: FakeEngine) {
  return {
    resolveImage: of.resolveImage.bind(of),
    pullImage: of.pullImage.bind(of),
    inspectImage: of.inspectImage.bind(of),
    tagImage: of.tagImage.bind(of),
  };
}
