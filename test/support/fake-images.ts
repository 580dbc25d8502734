/** Images of the fake engine: content ids, their tags, and the program that their containers run. */
import {
  EngineError,
  type ImageFacts,
  type ImageState,
  type Labels,
} from '../../controllers/engine/engine.ts';
import type { Program } from './fake-container.ts';

interface FakeImage {
  tags: Set<string>;
  /** `repository@sha256:…`, of one that was pulled. */
  digests: Set<string>;
  program: Program;
  labels: Labels;
}

export const imageGone = (): EngineError =>
  new EngineError('not_found', 'The engine no longer has the image: deploy again');

export class FakeImages {
  private readonly images = new Map<string, FakeImage>();

  /** Takes the tag from whichever image has it. */
  add(id: string, tag: string, program: Program, labels: Labels): void {
    this.images.set(id, { tags: new Set(), digests: new Set(), program, labels });
    this.tag(id, tag);
  }

  addPulled(id: string, digest: string, program: Program): void {
    this.images.set(id, { tags: new Set(), digests: new Set([digest]), program, labels: {} });
  }

  inspect(reference: string): ImageFacts | undefined {
    const id = this.find(reference);
    return id === undefined ? undefined : { id, digests: [...(this.images.get(id)?.digests ?? [])] };
  }

  tag(id: string, tag: string): void {
    const image = this.images.get(id);
    if (!image) throw imageGone();
    for (const other of this.images.values()) other.tags.delete(tag);
    image.tags.add(tag);
  }

  /** Of a tag, a digest or an id. Engines call the images of Docker Hub by their short names as well. */
  find(reference: string): string | undefined {
    if (this.images.has(reference)) return reference;
    const short = reference.replace(/^docker\.io\/(?:library\/)?/, '');
    return [...this.images].find(
      ([, { tags, digests }]) => tags.has(reference) || tags.has(short) || digests.has(reference),
    )?.[0];
  }

  program(id: string): Program | undefined {
    return this.images.get(id)?.program;
  }

  list(isMeant: (labels: Labels) => boolean): ImageState[] {
    return [...this.images]
      .filter(([, { labels }]) => isMeant(labels))
      .map(([id, { tags }]) => ({ id, tags: [...tags] }));
  }

  tags(): string[] {
    return [...this.images.values()].flatMap(({ tags }) => [...tags]).sort();
  }

  /** A tag, and the image with its last one. */
  remove(reference: string, isUsed: (id: string) => boolean): void {
    const id = this.find(reference);
    const image = id === undefined ? undefined : this.images.get(id);
    if (id === undefined || !image) return;
    const others = [...image.tags].filter((tag) => reference !== id && tag !== reference);
    if (others.length === 0 && isUsed(id))
      throw new EngineError('conflict', 'The image is in use: remove its containers first');
    image.tags.delete(reference);
    if (others.length === 0) this.images.delete(id);
  }
}
