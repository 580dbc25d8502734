/** The garbage of a node whose API is tested: what there is, and whether there is room, as the test says. */
import type { Garbage } from '../../api/ports.ts';
import type { GarbageItem, GarbageReport } from '../../specs/gc.ts';

export class FakeGarbage implements Garbage {
  items: GarbageItem[] = [];
  /** Set: why there is no room. */
  full: Error | undefined;

  collect(dryRun: boolean): Promise<GarbageReport> {
    const goes = this.items.filter(({ action }) => action === 'remove');
    const bytes = goes.reduce((sum, item) => sum + (item.bytes ?? 0), 0);
    const items = this.items.map((item) => ({ ...item, removed: !dryRun && item.action === 'remove' }));
    if (!dryRun) this.items = this.items.filter((item) => !goes.includes(item));
    return Promise.resolve({
      ...{ dry_run: dryRun, items },
      ...{ bytes_would_free: bytes, bytes_freed: dryRun ? 0 : bytes },
    });
  }

  requireRoom(): Promise<void> {
    return this.full === undefined ? Promise.resolve() : Promise.reject(this.full);
  }
}
