/** A push: one new deployment, and the wish that it should serve. */
import type { DeploymentStatus } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import { DeploymentReason } from '../../specs/reasons.ts';
import type { CreateDeployment } from '../../specs/requests.ts';
import type { ServiceSpec } from '../../specs/service.ts';
import type { Workload } from '../../specs/workload.ts';
import type { ApiContext } from '../context.ts';
import type { Writer } from '../store/store.ts';
import { invalid } from '../validation.ts';
import { sourcePaths } from './source-paths.ts';

const queued: DeploymentStatus = {
  phase: 'Pending',
  reason: DeploymentReason.Queued,
  message: 'Waiting to be built.',
  image: null,
  starting_at: null,
  building_at: null,
  promoted_at: null,
  epoch: null,
  failed_epoch: null,
  conditions: [],
};

/**
 * Creates the deployment and makes it the service's target, which also starts a stopped service. What the workload is
 * made of is frozen here. Throws `invalid` for an upload that is not this service's, and for bad paths.
 */
export async function deploy(
  { store, newId }: ApiContext,
  body: CreateDeployment,
): Promise<Row<'Deployment'>> {
  const { violations, paths } = sourcePaths(body.dockerfile_path, body.context_path);
  return store.write(async (writer) => {
    const service = await writer.get('Service', body.service_id);
    if (!service?.owner || service.deleted_at !== null) {
      throw new ProblemError('conflict', 'The service is being deleted.');
    }
    const upload = await writer.get('Upload', body.upload_id);
    if (upload?.owner !== service.id || upload.deleted_at !== null) {
      violations.push({
        path: '/upload_id',
        message: 'is no upload of this service; it may be used up or expired',
      });
    }
    if (violations.length > 0) throw invalid(violations);

    const number = (await lastNumber(writer, service.id)) + 1;
    const deployment = await writer.create('Deployment', {
      id: newId('deployment'),
      name: String(number),
      owner: service.id,
      spec: {
        service_id: service.id,
        project_id: service.owner,
        number,
        source: { upload: { upload_id: body.upload_id, ...paths } },
        workload: workloadOf(service.spec),
        stopped: false,
      },
      status: queued,
    });
    await writer.updateSpec('Service', service.id, (spec) => ({
      ...spec,
      rollout: { ...spec.rollout, target: deployment.id, running: true },
    }));
    return deployment;
  });
}

function workloadOf({ port, listen, health, env, resources }: ServiceSpec): Workload {
  return { port, listen, health, env, resources };
}

/** The greatest of many: ids are ordered by the wall clock, which may have been set back between two runs of the node. */
async function lastNumber(writer: Writer, serviceId: string): Promise<number> {
  const newest = await writer.list('Deployment', { owner: serviceId, limit: 100 });
  return Math.max(0, ...newest.map(({ spec }) => spec.number));
}
