/** Gives root away, for good. To be called once everything is loaded and bound. */
import type { User } from './run-dir.ts';

/** Throws when it cannot: a member must not go on as root by accident. */
export function dropPrivileges(user: User | null): void {
  if (user === null || process.getuid?.() !== 0) return;
  process.setgroups?.([]);
  process.setgid?.(user.gid);
  process.setuid?.(user.uid);
  if (process.getuid() === 0) throw new Error('still root after setuid');
}
