/** Merges sequences that are sorted by number into one. It reads one item of each ahead, and no more. */

/** @param order 1 where the smallest number comes first, -1 where the largest does */
export async function* merge<T extends { seq: number }>(
  sources: readonly AsyncGenerator<T, void, undefined>[],
  order: 1 | -1,
): AsyncGenerator<T, void, undefined> {
  try {
    const heads = await Promise.all(sources.map(async (source) => ({ source, head: await source.next() })));
    for (;;) {
      let first: { source: AsyncGenerator<T, void, undefined>; head: IteratorYieldResult<T> } | undefined;
      for (const { source, head } of heads) {
        if (head.done === true) continue;
        if (!first || (head.value.seq - first.head.value.seq) * order < 0) first = { source, head };
      }
      if (!first) return;
      yield first.head.value;
      const used = heads.find(({ source }) => source === first.source);
      if (used) used.head = await used.source.next();
    }
  } finally {
    await Promise.all(sources.map((source) => source.return()));
  }
}
