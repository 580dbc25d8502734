/** A stream of values that a test pushes by hand: what a fake hands out as an AsyncIterable. */
export class Feed<T> implements AsyncIterable<T> {
  private readonly values: T[] = [];
  private outcome: { error: Error | undefined } | undefined;
  private wake: () => void = () => undefined;

  push(value: T): void {
    this.values.push(value);
    this.wake();
  }

  /** Readers end, or throw `error`, after what was pushed before. */
  end(error?: Error): void {
    this.outcome ??= { error };
    this.wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<T, undefined> {
    for (;;) {
      const next = this.values.shift();
      if (next !== undefined) {
        yield next;
        continue;
      }
      if (this.outcome?.error) throw this.outcome.error;
      if (this.outcome) return undefined;
      await new Promise<void>((resolve) => (this.wake = resolve));
    }
  }
}
