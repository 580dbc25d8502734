/** Finds what might run beside a deployment. Reads only. */
import type { Reader } from '../../api/store/store.ts';
import type { Row } from '../../specs/index.ts';

/**
 * All replicas of a service, those on their way out as well; and those of one of its name before it, which have the same
 * volumes.
 */
export async function siblingsOf(service: Row<'Service'>, reader: Reader): Promise<Row<'Replica'>[]> {
  const [services, replicas] = [
    await reader.list('Service', {
      ...(service.owner === null ? {} : { owner: service.owner }),
      name: service.name,
    }),
    await reader.list('Replica'),
  ];
  const ids = new Set(services.map(({ id }) => id));
  return replicas.filter(({ spec }) => ids.has(spec.service_id));
}
