/** What commands have in common. Holds no behaviour of any one of them. */
import { Command, Option } from 'clipanion';
import type { Client } from '../client.ts';
import type { Context } from '../context.ts';
import { usageError } from '../errors.ts';

/** A command: prints results on stdout; what accompanies them (progress, hints) goes to stderr. */
export abstract class SvcCommand extends Command<Context> {
  /** A line on stdout. */
  protected print(line: string): void {
    this.context.stdout.write(`${line}\n`);
  }

  /** A line on stderr. */
  protected note(line: string): void {
    this.context.stderr.write(`${line}\n`);
  }
}

/** A command that talks to a node as the user of a profile. */
export abstract class ClientCommand extends SvcCommand {
  profile = Option.String('--profile', { description: 'which saved login to use; see `svc auth`' });

  protected connect(): Promise<Client> {
    return this.context.connect(this.profile);
  }
}

/** The number of a flag. Throws a usage error on anything else. */
export function integerFlag(
  flag: string,
  text: string | undefined,
  min: number,
  max: number,
): number | undefined {
  if (text === undefined) return undefined;
  const value = Number(text);
  if (!/^\d+$/.test(text) || value < min || value > max) {
    throw usageError(`${flag} takes a whole number from ${min} to ${max}, not "${text}".`);
  }
  return value;
}

/** The milliseconds of a flag that takes a duration (`30s`, `5m`). Throws a usage error on anything else. */
export async function durationFlag(flag: string, text: string): Promise<number> {
  const { durationMs } = await import('../../specs/duration.ts');
  try {
    return durationMs(text);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
    throw usageError(`${flag}: ${error.message}.`);
  }
}

/** RFC 3339 time of a flag that takes a time, or a duration back from now. Throws a usage error on anything else. */
export function pastFlag(flag: string, text: string, now: number): Promise<string> {
  return timeFlag(flag, text, (ms) => now - ms);
}

/** The same with a duration from now on. */
export function futureFlag(flag: string, text: string, now: number): Promise<string> {
  return timeFlag(flag, text, (ms) => now + ms);
}

async function timeFlag(flag: string, text: string, at: (ms: number) => number): Promise<string> {
  const time = /^\d{4}-/.test(text) ? Date.parse(text) : at(await durationFlag(flag, text));
  // Beyond that lies no time that a Date can hold.
  if (!(Math.abs(time) <= 8.64e15))
    throw usageError(`${flag}: "${text}" is no time.`, 'Write 10m, or 2026-01-31T12:00:00Z.');
  return new Date(time).toISOString();
}
