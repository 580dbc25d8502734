import assert from 'node:assert/strict';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { resolveTarget } from '../../../cli/pack/target.ts';
import { fill, scratch, tree } from './support.ts';

describe('resolveTarget', () => {
  it('names context and Dockerfile as the deployment request does', async (test) => {
    const root = await tree(test, { 'a/b/c.Dockerfile': '' });
    assert.deepEqual(await resolveTarget({ root }), { root, context: '.', dockerfile: 'Dockerfile' });
    const named = await resolveTarget({ root, context: 'a//b/', dockerfile: './a/b/../b/c.Dockerfile' });
    assert.deepEqual(named, { root, context: 'a/b', dockerfile: 'a/b/c.Dockerfile' });
    assert.deepEqual(
      await resolveTarget({ root, context: join(root, 'a'), dockerfile: join(root, 'Dockerfile') }),
      {
        root,
        context: 'a',
        dockerfile: 'Dockerfile',
      },
    );
  });

  it('follows a link to the root', async (test) => {
    const root = await tree(test);
    const other = await scratch(test);
    await fill(other, { link: { link: root } });
    assert.equal((await resolveTarget({ root: join(other, 'link') })).root, root);
  });

  it('says which Dockerfile it looked for and how to name another', async (test) => {
    const root = await scratch(test);
    const wanted = {
      name: 'PackError',
      message: `There is no Dockerfile at ${root}/Dockerfile.`,
      hint: /--dockerfile/,
    };
    await assert.rejects(resolveTarget({ root }), wanted);
  });

  it('refuses what is no regular file', async (test) => {
    const root = await tree(test, {
      directory: null,
      real: '',
      link: { link: 'real' },
      'a/x': '',
      b: { link: 'a' },
    });
    await assert.rejects(resolveTarget({ root, dockerfile: 'directory' }), { message: /not a regular file/ });
    await assert.rejects(resolveTarget({ root, dockerfile: 'link' }), {
      message: `The Dockerfile ${root}/link is really ${root}/real.`,
    });
    await assert.rejects(resolveTarget({ root, dockerfile: 'b/x' }), { message: /is really/ });
    await assert.rejects(resolveTarget({ root, dockerfile: 'real/x' }), {
      message: /There is no Dockerfile/,
    });
  });

  it('refuses what lies outside of the root', async (test) => {
    const root = await tree(test, { 'a/Dockerfile': '', 'ab/x': '' });
    const inner = join(root, 'a');
    await assert.rejects(resolveTarget({ root: inner, dockerfile: '../Dockerfile' }), {
      message: /outside/,
      hint: /--path/,
    });
    await assert.rejects(resolveTarget({ root: inner, context: '../ab' }), {
      message: /outside/,
      hint: /--context/,
    });
    await assert.rejects(resolveTarget({ root: inner, context: '..' }), { message: /outside/ });
  });

  it('refuses a root or a context that is no directory', async (test) => {
    const root = await tree(test);
    await assert.rejects(resolveTarget({ root: join(root, 'no') }), {
      message: /There is no directory/,
      hint: /--path/,
    });
    await assert.rejects(resolveTarget({ root: join(root, 'Dockerfile') }), {
      message: /There is no directory/,
    });
    await assert.rejects(resolveTarget({ root, context: 'no' }), { message: /There is no build context/ });
    await assert.rejects(resolveTarget({ root, context: 'Dockerfile' }), { message: /is not a directory/ });
  });
});
