/**
 * Anybody can be refused as often as they like: strangers, and members whose role is too low. So that nobody can fill the
 * disk with it, only so many refusals a minute have an entry of their own; the rest is counted into one. Everybody is
 * counted apart, so that nobody can drown the refusals of others: only all strangers are counted as one.
 */
import type { Clock } from '../../specs/clock.ts';
import type { AuditEntry } from '../../specs/audit.ts';

const windowMs = 60_000;
const entriesPerWindow = 60;

export interface FloodGate {
  /**
   * @param who whose refusal it is: one name for each user, one for all strangers
   * @returns whether the entry may be written; it is counted if not
   */
  admits(who: string, entry: AuditEntry): boolean;
  /** The counts so far, to be written when the node stops. */
  flush(): AuditEntry[];
}

/** The refusals of one since the first that was not in the window before. */
interface Window {
  admitted: number;
  counted: AuditEntry | undefined;
  cancel: () => void;
}

/** @param write is given the count at the end of a window that had more entries than it may */
export function floodGate(clock: Clock, write: (entry: AuditEntry) => void): FloodGate {
  const windows = new Map<string, Window>();

  function open(who: string): Window {
    const cancel = clock.after(windowMs, () => {
      windows.delete(who);
      if (window.counted) write(window.counted);
    });
    const window: Window = { admitted: 0, counted: undefined, cancel };
    windows.set(who, window);
    return window;
  }
  return {
    admits(who, entry) {
      const window = windows.get(who) ?? open(who);
      window.admitted += 1;
      if (window.admitted <= entriesPerWindow) return true;
      const { counted } = window;
      window.counted = counted ? { ...alike(counted, entry), count: counted.count + 1 } : entry;
      return false;
    },
    flush() {
      const all = [...windows.values()];
      windows.clear();
      for (const { cancel } of all) cancel();
      return all.flatMap(({ counted }) => counted ?? []);
    },
  };
}

/** What two entries have in common; where they differ `*`, or null where that can be. */
function alike(first: AuditEntry, next: AuditEntry): AuditEntry {
  const common = <T>(one: T, other: T) => (one === other ? one : '*');
  const orNull = <T>(one: T, other: T) => (one === other ? one : null);
  return {
    ...first,
    token_kind: orNull(first.token_kind, next.token_kind),
    token_id: orNull(first.token_id, next.token_id),
    user_id: orNull(first.user_id, next.user_id),
    username: orNull(first.username, next.username),
    project_id: orNull(first.project_id, next.project_id),
    object: orNull(first.object, next.object),
    object_name: orNull(first.object_name, next.object_name),
    fields: [],
    detail: orNull(first.detail, next.detail),
    address: common(first.address, next.address),
    method: common(first.method, next.method),
    route: common(first.route, next.route),
    code: common(first.code, next.code),
    status: first.status === next.status ? first.status : 400,
  };
}
