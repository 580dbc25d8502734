/**
 * Decides what a volume needs next. Pure. It is made by the replica that needs it first (mounts/provide.ts), and goes only
 * when somebody destroyed it; a volume that the engine has lost is said to be lost, and not made again.
 */
import type { Row } from '../../specs/index.ts';
import type { Observed } from './observe.ts';
import type { Step } from './steps.ts';

export function plan(row: Row<'Volume'>, { there }: Observed): Step[] {
  if (row.deleted_at === null) return [];
  const removals = there.map((name): Step => ({ do: 'remove', name }));
  return [...removals, { do: 'purge' }];
}
