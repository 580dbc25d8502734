/** The log of each run: what its tries printed, one after the other. */
import type { RunLogEntry } from '../../specs/log-entry.ts';
import { openEntryLogs, type EntryLogs, type EntryLogsOptions } from './entry-logs.ts';

export type RunLogs = EntryLogs<RunLogEntry>;

/** Bytes of a run's output that are kept. */
const maxBytes = 16 * 2 ** 20;

export function openRunLogs(options: Omit<EntryLogsOptions, 'noun'>): Promise<RunLogs> {
  return openEntryLogs({ maxBytes, ...options, noun: 'run' });
}
