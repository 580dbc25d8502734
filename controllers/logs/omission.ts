/** What is left out of a flood: counted, and its last lines held, which say more than the others when it ends. Pure. */
import type { WorkloadLogLine } from '../../specs/log-entry.ts';

/** The last lines of what is left out that are kept all the same. */
const lastWords = 20;

export interface Omission {
  add(line: WorkloadLogLine): void;
  /** A line that says how many are missing, and the last ones; none when nothing was left out. Forgets them. */
  take(): WorkloadLogLine[];
}

export function createOmission(): Omission {
  let count = 0;
  /** In a ring: the oldest is overwritten. */
  let held: WorkloadLogLine[] = [];
  return {
    add(line) {
      held[count % lastWords] = line;
      count += 1;
    },
    take() {
      const start = count > lastWords ? count % lastWords : 0;
      const lines = [...held.slice(start), ...held.slice(0, start)];
      const missing = count - lines.length;
      count = 0;
      held = [];
      const [first] = lines;
      if (!first || missing === 0) return lines;
      return [{ ...first, stream: 'stderr', line: notice(missing) }, ...lines];
    },
  };
}

/** The engine forgets as well, where it is printed faster than it is read; nobody knows how much. */
function notice(missing: number): string {
  const lines = missing === 1 ? '1 line' : `${missing} lines`;
  return `… at least ${lines} dropped: the workload prints faster than its log is kept`;
}
