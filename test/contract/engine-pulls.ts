/** Images of registries, as every engine asks for them and pulls them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { RegistryError, type RegistryFault } from '../../controllers/engine/registry-error.ts';
import type { RegistryAuth } from '../../controllers/engine/registry-request.ts';
import { rejectsWith, type Scene } from './engine-scene.ts';

/** @param play the scene, once it is set */
export function pullContract(play: () => Scene): void {
  const ask = (reference: string, auth?: RegistryAuth) => ({
    ...{ reference, signal: new AbortController().signal },
    ...(auth && { auth }),
  });
  const pull = (scene: Scene, reference: string, auth?: RegistryAuth) =>
    scene.settled(scene.engine.pullImage({ ...ask(reference, auth), onLine: () => undefined }));
  const resolve = (scene: Scene, reference: string, auth?: RegistryAuth) =>
    scene.settled(scene.engine.resolveImage(ask(reference, auth)));

  describe('images of registries', () => {
    it('are resolved, pulled by digest, found again, and go with their last tag', async () => {
      const scene = play();
      const { server } = scene.world.registry;
      const digest = await scene.world.registry.publish('found/again:1', { prints: ['pulled'] });
      assert.equal(`${server}/found/again@${await resolve(scene, `${server}/found/again:1`)}`, digest);
      assert.equal(await scene.engine.inspectImage(digest), undefined);
      const pulled = await pull(scene, digest);
      assert.match(pulled.id, /^sha256:[0-9a-f]{64}$/);
      assert.ok(pulled.digests.includes(digest), pulled.digests.join());
      assert.deepEqual(await scene.engine.inspectImage(digest), pulled);
      assert.deepEqual(await scene.engine.inspectImage(pulled.id), pulled);

      const tags = [`svc/${scene.unique}:pulled-1`, `svc/${scene.unique}:pulled-2`] as const;
      for (const tag of tags) await scene.engine.tagImage(pulled.id, tag);
      await scene.engine.removeImage(tags[0]);
      assert.equal(await scene.engine.findImage(digest), pulled.id);
      await scene.engine.removeImage(tags[1]);
      assert.equal(await scene.engine.findImage(digest), undefined);
      assert.equal(await scene.engine.findImage(pulled.id), undefined);
    });

    it('are what their tag is now', async () => {
      const scene = play();
      const { server } = scene.world.registry;
      const first = await scene.world.registry.publish('moves:latest', { prints: ['first'] });
      const before = await pull(scene, `${server}/moves:latest`);
      const second = await scene.world.registry.publish('moves:latest', { prints: ['second'] });
      assert.notEqual(first, second);
      assert.equal(`${server}/moves@${await resolve(scene, `${server}/moves:latest`)}`, second);
      const after = await pull(scene, `${server}/moves:latest`);
      assert.notEqual(before.id, after.id);
      assert.equal(await scene.engine.findImage(first), before.id);
      for (const { id } of [before, after]) await scene.engine.removeImage(id);
    });

    it('that are not there are not found', async () => {
      const scene = play();
      const { server } = scene.world.registry;
      await scene.world.registry.publish('there:1', {});
      for (const reference of [
        `${server}/there:2`,
        `${server}/nowhere:1`,
        `${server}/there@sha256:${'0'.repeat(64)}`,
      ]) {
        await failsFor('not_found', resolve(scene, reference));
        await failsFor('not_found', pull(scene, reference));
      }
    });

    it('of a registry with a password are given with the password, and to nobody else', async () => {
      const scene = play();
      const { guarded, registry } = scene.world;
      const { server, username, password } = guarded;
      const digest = await guarded.publish('private/app:1', { prints: ['private'] });
      for (const auth of [undefined, { server, username, password: `${password}!` }]) {
        await failsFor('denied', resolve(scene, `${server}/private/app:1`, auth));
        await failsFor('denied', pull(scene, digest, auth));
      }
      const auth = { server, username, password };
      assert.equal(`${server}/private/app@${await resolve(scene, `${server}/private/app:1`, auth)}`, digest);
      const { id } = await pull(scene, digest, auth);
      // Credentials were of these calls alone.
      await failsFor('denied', resolve(scene, digest));
      assert.notEqual(server, registry.server);
      await scene.engine.removeImage(id);
    });

    it('of a registry that nobody runs are out of reach', async () => {
      const scene = play();
      const { nobody } = scene.world;
      await failsFor('unreachable', resolve(scene, `${nobody}/app:1`));
      await failsFor('unreachable', pull(scene, `${nobody}/app:1`));
    });

    it('are not pulled for somebody who has gone', async () => {
      const scene = play();
      const digest = await scene.world.registry.publish('cancelled:1', { prints: ['cancelled'] });
      const signal = AbortSignal.abort();
      const request = { reference: digest, signal, onLine: () => undefined };
      await rejectsWith('aborted', scene.settled(scene.engine.pullImage(request)));
      await rejectsWith('aborted', scene.settled(scene.engine.resolveImage(request)));
      assert.equal(await scene.engine.inspectImage(digest), undefined);
    });
  });
}

async function failsFor(fault: RegistryFault, call: Promise<unknown>): Promise<void> {
  await assert.rejects(call, (error: unknown) => {
    assert.ok(error instanceof RegistryError, String(error));
    assert.equal(error.fault, fault, error.message);
    return true;
  });
}
