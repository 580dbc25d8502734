/** What every resource shows of its row. */
import type { Condition } from '../../specs/conditions.ts';
import type { Row } from '../../specs/index.ts';

/** The members that all resources have. */
export function metaView(
  row: Row<'Project' | 'Service' | 'Deployment' | 'Domain' | 'Volume' | 'Job' | 'Run'>,
) {
  const conditions: Condition[] = row.status.conditions;
  return {
    id: row.id,
    generation: row.generation,
    observed_generation: row.observed_generation,
    created_at: row.created_at,
    updated_at: row.updated_at,
    deleting: row.deleted_at !== null,
    conditions,
  };
}
