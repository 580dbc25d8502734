/** Prints what is being done and how long it took, one line a step. */

export interface Steps {
  /** Runs one step. Its line ends with what the step returns, and the time it took. */
  run<T>(title: string, work: () => Promise<T>, outcome?: (result: T) => string): Promise<T>;
  say(text: string): void;
}

/** @param now milliseconds, monotonic */
export function createSteps(out: NodeJS.WritableStream, now: () => number): Steps {
  const begun = now();
  const seconds = (from: number): string => `${((now() - from) / 1000).toFixed(1)} s`;
  return {
    async run(title, work, outcome) {
      const from = now();
      out.write(`${title} … `);
      try {
        const result = await work();
        const words = outcome?.(result) ?? 'done';
        out.write(`${words} (${seconds(from)}, ${seconds(begun)} in all)\n`);
        return result;
      } catch (error) {
        out.write(`failed (${seconds(from)})\n`);
        throw error;
      }
    },
    say: (text) => void out.write(`${text}\n`),
  };
}
