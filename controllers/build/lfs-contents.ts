/** Puts the files of Git LFS in the place of their pointers, while an archive is read. */
import { createReadStream } from 'node:fs';
import { access } from 'node:fs/promises';
import { join } from 'node:path';
import { mayBePointer, parsePointer, type Pointer } from '../git/lfs-pointer.ts';
import type { TarEntry, TarPart } from './tar/reader.ts';

/** @param objects directory of the files, by checksum; a pointer to none of them stays as it is */
export async function* withLfs(
  parts: AsyncIterable<TarPart>,
  objects: string,
): AsyncGenerator<TarPart, void, undefined> {
  /** An entry that may be a pointer, and what was read of it. */
  let held: { entry: TarEntry; content: Buffer[] } | undefined;
  for await (const part of parts) {
    if ('data' in part) {
      if (held) held.content.push(Buffer.from(part.data));
      else yield part;
      continue;
    }
    if (held) yield* release(held.entry, Buffer.concat(held.content), objects);
    const { entry } = part;
    held = entry.type === '0' && mayBePointer(entry.size) ? { entry, content: [] } : undefined;
    if (!held) yield part;
  }
  if (held) yield* release(held.entry, Buffer.concat(held.content), objects);
}

async function* release(
  entry: TarEntry,
  content: Buffer,
  objects: string,
): AsyncGenerator<TarPart, void, undefined> {
  const pointer = parsePointer(content);
  if (!pointer || !(await isThere(pointer, objects))) {
    yield { entry };
    yield { data: content };
    return;
  }
  yield { entry: { ...entry, size: pointer.size } };
  for await (const data of createReadStream(join(objects, pointer.oid))) yield { data: data as Buffer };
}

function isThere({ oid }: Pointer, objects: string): Promise<boolean> {
  return access(join(objects, oid)).then(
    () => true,
    () => false,
  );
}
