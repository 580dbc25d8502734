/** What the things of the fake engine take on its disk: so much each, unless the test says otherwise. */
import type { CacheRecord, EngineUsage } from '../../controllers/engine/usage.ts';
import type { FakeImages } from './fake-images.ts';
import type { FakeVolumes } from './fake-volumes.ts';

const MiB = 2 ** 20;

export class FakeUsage {
  /** Records of the build cache. */
  cache: CacheRecord[] = [];
  imageBytes = 10 * MiB;
  volumeBytes = MiB;

  of(images: FakeImages, volumes: FakeVolumes): EngineUsage {
    return {
      images: new Map(images.list(() => true).map(({ id }) => [id, this.imageBytes])),
      volumes: new Map(volumes.list().map(({ name }) => [name, this.volumeBytes])),
      buildCache: this.cache,
    };
  }

  /** @param before milliseconds: what was used since stays */
  prune(before: number): number {
    const goes = ({ isNeeded, lastUsedAt }: CacheRecord): boolean =>
      !isNeeded && (lastUsedAt === null || Date.parse(lastUsedAt) <= before);
    const bytes = this.cache.filter(goes).reduce((sum, record) => sum + record.bytes, 0);
    this.cache = this.cache.filter((record) => !goes(record));
    return bytes;
  }
}
