/** `--release KEY=VALUE`: how new deployments of a service take over. */
import type { Release } from '../../../specs/service.ts';
import { usageError } from '../../errors.ts';
import { didYouMean } from '../../nearest.ts';

type Read = (text: string) => string | number | boolean;

const text: Read = (value) => value;
const number: Read = (value) => {
  if (/^\d{1,6}$/.test(value)) return Number(value);
  throw usageError(`--release takes a number for keep and surge, not "${value}".`);
};
const yesOrNo: Read = (value) => {
  if (value === 'true' || value === 'false') return value === 'true';
  throw usageError(`--release auto_rollback takes true or false, not "${value}".`);
};

/** What each is, the node checks; it also says what may be written. */
const readers: Readonly<Record<keyof Release, Read>> = {
  drain: text,
  keep: number,
  strategy: text,
  surge: number,
  auto_rollback: yesOrNo,
  bake: text,
};

export const releaseHelp =
  'KEY=VALUE of how a deployment takes over: drain, keep, strategy, surge, auto_rollback or bake; may be given again';

/** Throws a usage error that names the keys there are. */
export function releaseOf(pairs: readonly string[]): Partial<Release> {
  const given = pairs.map((pair) => {
    const [, key = pair, value] = /^([^=]+)=(.*)$/.exec(pair) ?? [];
    const read = Object.hasOwn(readers, key) ? readers[key as keyof Release] : undefined;
    if (read !== undefined && value !== undefined) return [key, read(value)] as const;
    const keys = Object.keys(readers);
    throw usageError(
      `--release takes KEY=VALUE, not "${pair}".${didYouMean(key, keys)}`,
      `The keys are: ${keys.join(', ')}.`,
    );
  });
  return Object.fromEntries(given);
}
