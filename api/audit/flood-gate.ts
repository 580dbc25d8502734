/**
 * Strangers can be refused as often as they like. So that they cannot fill the disk with it, only so many of their refusals
 * have an entry of their own; the rest of a minute is counted into one.
 */
import type { Clock } from '../../specs/clock.ts';
import type { AuditEntry } from '../../specs/audit.ts';

const windowMs = 60_000;
const entriesPerWindow = 60;

export interface FloodGate {
  /** @returns whether the entry may be written; it is counted if not */
  admits(entry: AuditEntry): boolean;
  /** The count so far, to be written when the node stops. */
  flush(): AuditEntry | undefined;
}

/** @param write is given the count at the end of a window that had more entries than it may */
export function floodGate(clock: Clock, write: (entry: AuditEntry) => void): FloodGate {
  let admitted = 0;
  let counted: AuditEntry | undefined;
  let cancel: (() => void) | undefined;

  function flush(): AuditEntry | undefined {
    cancel?.();
    cancel = undefined;
    admitted = 0;
    const rest = counted;
    counted = undefined;
    return rest;
  }
  return {
    admits(entry) {
      cancel ??= clock.after(windowMs, () => {
        const rest = flush();
        if (rest) write(rest);
      });
      admitted += 1;
      if (admitted <= entriesPerWindow) return true;
      counted = counted ? { ...alike(counted, entry), count: counted.count + 1 } : entry;
      return false;
    },
    flush,
  };
}

/** What two entries have in common; `*` where they differ. */
function alike(first: AuditEntry, next: AuditEntry): AuditEntry {
  const common = <T>(one: T, other: T) => (one === other ? one : '*');
  return {
    ...first,
    ...{ user_id: null, username: null, project_id: null, object: null, fields: [] },
    address: common(first.address, next.address),
    method: common(first.method, next.method),
    route: common(first.route, next.route),
    code: common(first.code, next.code),
    status: first.status === next.status ? first.status : 400,
  };
}
