/**
 * Checks an archive while it streams: the reader takes it apart, the policy admits each entry, and links are proved to
 * stay inside once all of them are known. Memory is the tree of names; contents pass through.
 */
import { setImmediate } from 'node:timers/promises';
import type { UploadLimits } from '../limits.ts';
import { overLimit, unreadable } from '../refusal.ts';
import { admit, checkSymlink, type AcceptedEntry } from './policy.ts';
import { createTarReader, type TarPart } from './reader.ts';
import type { Tree } from './tree.ts';

/** Path segments walked before other work gets a turn. */
const slice = 20_000;

/**
 * Admits the archive in `chunks` into `tree`, and gives its accepted entries and their contents. The archive is good only
 * once the iteration has ended without throwing (ProblemError `bad_request` or `too_large`).
 */
export async function* checkTar(
  chunks: AsyncIterable<Buffer>,
  tree: Tree,
  limits: UploadLimits,
): AsyncGenerator<TarPart<AcceptedEntry>, void, undefined> {
  yield* admitAll(readTar(chunks, limits), tree, limits);
}

/** Takes an archive apart and judges nothing. Throws ProblemError `bad_request` for what is no tar. */
export async function* readTar(
  chunks: AsyncIterable<Buffer>,
  limits: UploadLimits,
): AsyncGenerator<TarPart, void, undefined> {
  const reader = createTarReader(limits);
  for await (const chunk of chunks) yield* reader.push(chunk);
  reader.end();
}

/** As {@link checkTar}, of parts that were read, perhaps from several archives. */
export async function* admitAll(
  parts: AsyncIterable<TarPart>,
  tree: Tree,
  limits: UploadLimits,
): AsyncGenerator<TarPart<AcceptedEntry>, void, undefined> {
  let entries = 0;
  for await (const part of parts) {
    if ('data' in part) {
      yield part;
      continue;
    }
    for (const entry of admit(tree, part.entry, limits)) {
      entries++;
      yield { entry };
    }
  }
  if (entries === 0) throw unreadable('there is nothing in it');
  await checkSymlinks(tree, limits);
}

async function checkSymlinks(tree: Tree, limits: Pick<UploadLimits, 'linkSteps'>): Promise<void> {
  let steps = 0;
  let pause = slice;
  const count = (more: number): void => {
    steps += more;
    if (steps > limits.linkSteps)
      throw overLimit('its symlinks are too long to follow', `${limits.linkSteps} path segments`);
  };
  for (const link of tree.symlinks()) {
    checkSymlink(tree, link, count);
    if (steps < pause) continue;
    pause = steps + slice;
    await setImmediate();
  }
}
