/** What somebody changed at the container of a try, and what puts it right while it goes on. Pure. */
import type { Row } from '../../specs/index.ts';
import { driftOf as driftOfContainer, type Mend, type Wanted } from '../drift/drift.ts';
import type { ContainerState } from '../engine/engine.ts';
import { tryName } from '../engine/names.ts';
import type { Observed } from './observe.ts';

export interface Drift {
  /** In this order. That of the limits comes last: the engine may refuse it. */
  steps: Mend[];
  /** What had drifted, in words. */
  found: string[];
  /** What goes with the try alone, in one sentence: its container cannot be replaced, for it runs once. */
  lasting?: string;
}

/** The condition that says what could not be put right. */
export const limitsCondition = 'Limits';

/** What its container is to be; undefined while something of that is not there. */
export function wantedOf(row: Row<'Run'>, { job, project }: Observed): Wanted | undefined {
  const { address, tries } = row.status;
  if (!job || !project || address === null) return undefined;
  const { network: id, network_name: name } = project.status;
  if (id === null || name === null) return undefined;
  const { resources } = row.spec;
  return { name: tryName({ run: row, job, project }, tries), network: { name, id }, address, resources };
}

export function driftOf(row: Row<'Run'>, container: ContainerState, observed: Observed): Drift {
  const wanted = wantedOf(row, observed);
  if (!wanted) return { steps: [], found: [] };
  const { steps, found, limits, tuned, lasting } = driftOfContainer(container, wanted);
  const changed = [...tuned, ...limits];
  const words = `Only another container undoes this, and a try has one: ${lasting.join(', ')}.`;
  const isKnown = row.status.conditions.some(
    ({ type, message }) => type === limitsCondition && message === words,
  );
  const isNew = lasting.length > 0 && !isKnown;
  return {
    // What lasts may have undone a limit.
    steps: [...steps, ...(changed.length > 0 || isNew ? [{ do: 'limit' } as const] : [])],
    found: [
      ...found,
      ...(changed.length > 0 ? [`its limits were changed (${changed.join(', ')})`] : []),
      ...(isNew ? [`it stays so until its try ends: ${lasting.join(', ')}`] : []),
    ],
    ...(lasting.length > 0 ? { lasting: words } : {}),
  };
}
