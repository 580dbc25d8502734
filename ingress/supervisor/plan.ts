/**
 * Which processes to start and which to drain, given those that are there. Pure: no clock, no processes.
 *
 * A slot wants one process of the current program that listens. Whatever else is in the slot, an older program or a
 * second one, is drained only once that one is there: new before old.
 */
import type { Role } from '../protocol.ts';

export interface Slot {
  role: Role;
  slot: number;
}

export interface Standing extends Slot {
  pid: number;
  /** Of the current program. */
  current: boolean;
  /** Connected: it listens. */
  ready: boolean;
  /** Starting, or expected to dial home; false once it is overdue. */
  expected: boolean;
  draining: boolean;
}

export interface Plan {
  spawn: Slot[];
  /** Process ids. */
  drain: number[];
}

export function slotKey({ role, slot }: Slot): string {
  return `${role}-${slot}`;
}

export function wantedSlots(workers: number): Slot[] {
  const slots: Slot[] = [{ role: 'bridge', slot: 0 }];
  for (let slot = 0; slot < workers; slot += 1) slots.push({ role: 'worker', slot });
  return slots;
}

/** @param held keys of slots that must not be filled yet, after a process that died at once */
export function planFleet(
  wanted: readonly Slot[],
  members: readonly Standing[],
  held: ReadonlySet<string>,
): Plan {
  const plan: Plan = { spawn: [], drain: [] };
  const staying = members.filter((member) => !member.draining);
  let served = true;
  for (const slot of wanted) {
    const key = slotKey(slot);
    const inSlot = staying.filter((member) => slotKey(member) === key);
    const keep = inSlot.find((member) => member.current && member.ready);
    if (keep !== undefined) {
      for (const member of inSlot) if (member !== keep && !starting(member)) plan.drain.push(member.pid);
      continue;
    }
    served = false;
    const coming = inSlot.some((member) => member.current && member.expected);
    if (!coming && !held.has(key)) plan.spawn.push(slot);
  }
  const keys = new Set(wanted.map(slotKey));
  if (served) for (const member of staying) if (!keys.has(slotKey(member))) plan.drain.push(member.pid);
  return plan;
}

/** One that is on its way cannot be told to drain yet; the plan that follows its arrival does. */
function starting(member: Standing): boolean {
  return !member.ready && member.expected;
}
