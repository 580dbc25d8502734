/** Lines about deployments and their replicas. */
import type { DeploymentResource } from '../../specs/resources.ts';
import { age } from '../output/age.ts';
import { table, type Column } from '../output/table.ts';

export function deploymentColumns(now: number): Column<DeploymentResource>[] {
  return [
    { header: 'NUMBER', cell: ({ number }) => String(number) },
    { header: 'STATUS', cell: ({ status }) => status },
    { header: 'REASON', cell: ({ reason }) => reason },
    { header: 'PROMOTED', cell: ({ promoted }) => (promoted ? 'yes' : '') },
    { header: 'AGE', cell: ({ created_at: at }) => age(at, now) },
    { header: 'ID', cell: ({ id }) => id },
  ];
}

export function replicaLines({ replicas }: DeploymentResource, now: number): string[] {
  if (replicas.length === 0) return ['none'];
  return table(
    [
      { header: 'ID', cell: ({ id }) => id },
      { header: 'PHASE', cell: ({ phase }) => phase },
      { header: 'RESTARTS', cell: ({ restarts }) => String(restarts) },
      {
        header: 'UP',
        cell: ({ phase, started_at: at }) => (at === null || phase === 'Exited' ? '' : age(at, now)),
      },
      {
        header: 'LAST EXIT',
        cell: ({ last_exit: exit }) =>
          exit === null ? '' : exit.out_of_memory ? 'out of memory' : `code ${exit.code}`,
      },
      { header: 'PROBE', cell: ({ probe }) => probe ?? '' },
    ],
    replicas,
  );
}
