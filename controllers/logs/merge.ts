/** Merges sequences that are sorted alike into one. It reads one item of each ahead, and no more. */

/** @param compare below zero where its first argument comes first; of equals, those of the earlier source do */
export async function* merge<T>(
  sources: readonly AsyncGenerator<T, void, undefined>[],
  compare: (a: T, b: T) => number,
): AsyncGenerator<T, void, undefined> {
  try {
    const heads = await Promise.all(sources.map(async (source) => ({ source, head: await source.next() })));
    for (;;) {
      let first: { source: AsyncGenerator<T, void, undefined>; head: IteratorYieldResult<T> } | undefined;
      for (const { source, head } of heads) {
        if (head.done === true) continue;
        if (!first || compare(head.value, first.head.value) < 0) first = { source, head };
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
