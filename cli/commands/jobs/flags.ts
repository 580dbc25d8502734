/** Flags that say what a job is, as the API takes them. */
import type { UpdateJob } from '../../../specs/job-requests.ts';
import { usageError } from '../../errors.ts';
import { didYouMean } from '../../nearest.ts';
import { integerFlag } from '../command.ts';
import { environmentOf } from '../services/flags.ts';

const concurrencies = ['forbid', 'replace', 'allow'] as const;

export interface JobFlags {
  schedule: string | undefined;
  timezone: string | undefined;
  concurrency: string | undefined;
  deadline: string | undefined;
  startingDeadline: string | undefined;
  retries: string | undefined;
  keepSucceeded: string | undefined;
  keepFailed: string | undefined;
  memory: string | undefined;
  cpus: string | undefined;
  env: readonly string[] | undefined;
  /** What stands after `--`. */
  command: readonly string[];
}

/** What flags can say of a new job as well as of one that is changed. */
type Fields = Omit<UpdateJob, 'env'> & { env?: Record<string, string> };

/** Only what was given. Throws a usage error that names the flag; a value of the environment is never quoted. */
export function fieldsOf(flags: JobFlags): Fields {
  const { schedule, timezone, concurrency, deadline, startingDeadline, memory, cpus, env, command } = flags;
  const retries = integerFlag('--retries', flags.retries, 0, 100);
  const keep = keepOf(flags);
  const resources = {
    ...(memory !== undefined && { memory }),
    ...(cpus !== undefined && { cpus: processors(cpus) }),
  };
  return {
    ...(schedule !== undefined && { schedule }),
    ...(timezone !== undefined && { timezone }),
    ...(concurrency !== undefined && { concurrency: concurrencyOf(concurrency) }),
    ...(deadline !== undefined && { deadline }),
    ...(startingDeadline !== undefined && { starting_deadline: startingDeadline }),
    ...(retries !== undefined && { retries }),
    ...(Object.keys(keep).length > 0 && { keep }),
    ...(Object.keys(resources).length > 0 && { resources }),
    ...(env !== undefined && { env: environmentOf(env) }),
    ...(command.length > 0 && { command: [...command] }),
  };
}

/** How many runs are kept. */
function keepOf({ keepSucceeded, keepFailed }: JobFlags): NonNullable<UpdateJob['keep']> {
  const succeeded = integerFlag('--keep-succeeded', keepSucceeded, 1, 1000);
  const failed = integerFlag('--keep-failed', keepFailed, 1, 1000);
  return { ...(succeeded !== undefined && { succeeded }), ...(failed !== undefined && { failed }) };
}

function concurrencyOf(word: string): (typeof concurrencies)[number] {
  const found = concurrencies.find((known) => known === word);
  if (found !== undefined) return found;
  throw usageError(
    `--concurrency takes ${concurrencies.join(', ')}, not "${word}".${didYouMean(word, concurrencies)}`,
  );
}

function processors(text: string): number {
  const value = Number(text);
  if (/^\d+(?:\.\d+)?$/.test(text) && value > 0) return value;
  throw usageError(`--cpus takes a number such as 0.5 or 2, not "${text}".`);
}
