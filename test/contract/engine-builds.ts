/** Builds and images of every engine. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { EngineError } from '../../controllers/engine/engine.ts';
import { rejectsWith, type Scene } from './engine-scene.ts';

/** @param play the scene, once it is set */
export function buildContract(play: () => Scene): void {
  describe('builds', () => {
    it('builds an image and finds it by tag and by id', async () => {
      const scene = play();
      const tag = `svc/${scene.unique}:a`;
      const { image, lines } = await scene.build(tag, { prints: 'hellø from a step' });
      const id = await scene.settled(image);
      assert.match(id, /^sha256:[0-9a-f]{64}$/);
      assert.ok(lines.includes('hellø from a step'), lines.join('\n'));
      assert.ok(
        lines.some((line) => /^\[2\/2\] RUN /.test(line)),
        lines.join('\n'),
      );
      assert.equal(await scene.engine.findImage(tag), id);
      assert.equal(await scene.engine.findImage(id), id);
      await scene.engine.removeImage(tag);
      await scene.engine.removeImage(tag);
      assert.equal(await scene.engine.findImage(tag), undefined);
    });

    it('gives an image more tags, and takes one away also while a container runs it', async () => {
      const scene = play();
      const [one, two] = [`svc/${scene.unique}:one`, `svc/${scene.unique}-b:two`];
      const id = await scene.world.image({});
      for (const tag of [one, two, two]) await scene.engine.tagImage(id, tag);
      const container = await scene.engine.createReplica(scene.spec(id));
      await scene.engine.removeImage(one);
      assert.equal(await scene.engine.findImage(one), undefined);
      assert.equal(await scene.engine.findImage(two), id);
      await scene.engine.removeReplica(container);
      await scene.engine.removeImage(two);
      assert.equal(await scene.engine.findImage(id), id);
    });

    it('takes a tag from the image that has it', async () => {
      const scene = play();
      const [tag, other] = [`svc/${scene.unique}:old`, `svc/${scene.unique}:new`];
      const before = await scene.settled((await scene.build(tag, { prints: 'before' })).image);
      const after = await scene.settled((await scene.build(other, { prints: 'after' })).image);
      assert.notEqual(before, after);
      await scene.engine.tagImage(after, tag);
      assert.equal(await scene.engine.findImage(tag), after);
      for (const reference of [tag, other, before]) await scene.engine.removeImage(reference);
    });

    it('lists the images that were built with these labels, with their tags', async () => {
      const scene = play();
      const [one, two] = [`svc/${scene.unique}:listed`, `svc/${scene.unique}:again`];
      const id = await scene.settled((await scene.build(one, { prints: 'to be listed' })).image);
      await scene.engine.tagImage(id, two);
      const listed = await scene.engine.listImages(scene.node());
      const tags = listed.filter((image) => image.id === id).flatMap((image) => image.tags);
      assert.deepEqual(tags.sort(), [two, one]);
      assert.deepEqual(await scene.engine.listImages({ 'svc.node': 'nobody' }), []);
      for (const tag of [one, two]) await scene.engine.removeImage(tag);
    });

    it('has no tag for an image that is not there', async () => {
      const scene = play();
      const tag = `svc/${scene.unique}:none`;
      await rejectsWith('not_found', scene.engine.tagImage(`sha256:${'0'.repeat(64)}`, tag));
      assert.equal(await scene.engine.findImage(tag), undefined);
    });

    it('refuses a build whose step fails and says which and how', async () => {
      const scene = play();
      const { image } = await scene.build(`svc/${scene.unique}:b`, { prints: 'no such thing', exits: 3 });
      await assert.rejects(scene.settled(image), (error: unknown) => {
        assert.ok(error instanceof EngineError);
        assert.equal(error.code, 'refused');
        assert.match(error.message, /^\[2\/2\] RUN .*: exit code 3\n(.*\n)*no such thing$/);
        return true;
      });
      assert.equal(await scene.engine.findImage(`svc/${scene.unique}:b`), undefined);
    });

    it('aborts a build that is under way, and one that has not begun', async () => {
      const scene = play();
      const cancel = new AbortController();
      const { image, lines } = await scene.build(
        `svc/${scene.unique}:c`,
        { prints: 'on and on', hangs: true },
        { signal: cancel.signal },
      );
      await scene.until(() => (lines.includes('on and on') ? true : undefined));
      cancel.abort();
      await rejectsWith('aborted', scene.settled(image));
      const { image: late } = await scene.build(
        `svc/${scene.unique}:c`,
        { prints: 'never' },
        { signal: cancel.signal },
      );
      await rejectsWith('aborted', scene.settled(late));
      assert.equal(await scene.engine.findImage(`svc/${scene.unique}:c`), undefined);
    });

    it('refuses a build whose context breaks off', async () => {
      const scene = play();
      const tag = `svc/${scene.unique}:d`;
      for (const error of [new Error('disk error'), undefined]) {
        const context = await scene.world.prepare(tag, { prints: 'never' });
        context.once('readable', () => void context.destroy(error));
        const { image } = await scene.build(tag, { prints: 'never' }, { context });
        await rejectsWith('refused', scene.settled(image));
      }
      assert.equal(await scene.engine.findImage(tag), undefined);
    });
  });
}
