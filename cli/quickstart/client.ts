/** Runs `svc` commands as a user would, against the quickstart's own node. */
import { fileURLToPath } from 'node:url';
import type { Place } from './place.ts';
import { run } from './shell.ts';

export const program = fileURLToPath(new URL('../main.ts', import.meta.url));

/** What a person types: finds the right Node by itself. */
export const launcher = fileURLToPath(new URL('../svc', import.meta.url));

export type Svc = (args: string[], input?: string) => Promise<string>;

export function clientOf(place: Place): Svc {
  const env = { ...process.env, SVC_CONFIG_DIR: place.configDir };
  return (args, input) =>
    run(process.execPath, [program, ...args], { env, ...(input === undefined ? {} : { input }) });
}
