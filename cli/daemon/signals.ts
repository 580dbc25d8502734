/** SIGTERM and SIGINT: the first asks for an orderly end, a second one ends the process at once. */

export interface Signals {
  /** Resolves with the name of the first one. */
  first: Promise<NodeJS.Signals>;
  close(): void;
}

export function onSignals(): Signals {
  const names = ['SIGTERM', 'SIGINT'] as const;
  const { promise, resolve } = Promise.withResolvers<NodeJS.Signals>();
  let seen = false;
  const listener = (name: NodeJS.Signals): void => {
    if (seen) process.exit(1);
    seen = true;
    resolve(name);
  };
  for (const name of names) process.on(name, listener);
  return {
    first: promise,
    close: () => {
      for (const name of names) process.off(name, listener);
    },
  };
}
