/** The log of each deployment: what its build and its release did. */
import type { DeploymentLogEntry } from '../../specs/log-entry.ts';
import { openEntryLogs, type EntryLogs, type EntryLogsOptions } from './entry-logs.ts';

export type DeploymentLogs = EntryLogs<DeploymentLogEntry>;

export function openDeploymentLogs(options: Omit<EntryLogsOptions, 'noun'>): Promise<DeploymentLogs> {
  return openEntryLogs({ ...options, noun: 'deployment' });
}
