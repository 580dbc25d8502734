/**
 * Which tags this node has put on images: a file for each, written before the tag. An image that was pulled carries no label,
 * and another node at the same engine has tags of the same form: this is how the collector knows those of ours whose rows
 * are gone. What is forgotten too late costs a file, what is forgotten too early an image.
 */
import { mkdir, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Engine } from './engine.ts';

export interface NotedTag {
  tag: string;
  /** Milliseconds since the epoch. */
  at: number;
}

export interface TagNotes {
  note(tag: string): Promise<void>;
  list(): Promise<NotedTag[]>;
  forget(tag: string): Promise<void>;
}

/** The names of names.ts: nothing else is taken for a tag of ours. */
const ours = /^svc\/(?:svc|job)-[0-9a-z]+:[0-9a-z-]+$/;

/** @param dir is made */
export async function openTagNotes(dir: string): Promise<TagNotes> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const pathOf = (tag: string): string => join(dir, encodeURIComponent(tag));
  return {
    note: (tag) => writeFile(pathOf(tag), ''),
    async list() {
      const notes = (await readdir(dir)).map(async (name): Promise<NotedTag[]> => {
        const tag = tagOf(name);
        const found = ours.test(tag) ? await stat(join(dir, name)).catch(unlessGone) : undefined;
        return found ? [{ tag, at: found.mtimeMs }] : [];
      });
      return (await Promise.all(notes)).flat();
    },
    forget: (tag) => rm(pathOf(tag), { force: true }),
  };
}

function tagOf(name: string): string {
  try {
    return decodeURIComponent(name);
  } catch {
    return '';
  }
}

function unlessGone(error: unknown): undefined {
  if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
}

/** The same engine; every tag that it puts on an image is noted first. */
export function notingTags<E extends Pick<Engine, 'tagImage'>>(engine: E, notes: Pick<TagNotes, 'note'>): E {
  return new Proxy(engine, {
    get(target, name) {
      if (name === 'tagImage')
        return async (image: string, tag: string): Promise<void> => {
          await notes.note(tag);
          await target.tagImage(image, tag);
        };
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === 'function' ? (value as () => unknown).bind(target) : value;
    },
  });
}
