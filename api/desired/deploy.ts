/** A push: one new deployment, and the wish that it should serve. */
import { workloadOf } from '../../specs/configuration.ts';
import { askedFor, nextNumber } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { CreateDeployment } from '../../specs/requests.ts';
import { revisionOf } from '../../specs/revision.ts';
import type { Workload } from '../../specs/workload.ts';
import type { ApiContext } from '../context.ts';
import { invalid } from '../validation.ts';
import { livingService } from './living.ts';
import { sourcePaths } from './source-paths.ts';

/**
 * Creates the deployment and makes it the service's target, which also starts a stopped service. What the workload is
 * made of is frozen here. Throws `invalid` for an upload that is not this service's, and for bad paths; `conflict` while a
 * declared secret has no value, and when the service is being deleted.
 */
export async function deploy(
  { store, newId }: ApiContext,
  body: CreateDeployment,
): Promise<Row<'Deployment'>> {
  const { violations, paths } = sourcePaths(body.dockerfile_path, body.context_path);
  return store.write(async (writer) => {
    const service = await livingService(writer, body.service_id);
    const upload = await writer.get('Upload', body.upload_id);
    if (upload?.owner !== service.id || upload.deleted_at !== null) {
      violations.push({
        path: '/upload_id',
        message: 'is no upload of this service; it may be used up or expired',
      });
    }
    if (violations.length > 0) throw invalid(violations);

    const workload = frozenWorkload(service);
    const number = nextNumber(await writer.list('Deployment', { owner: service.id, limit: 100 }));
    const deployment = await writer.create('Deployment', {
      id: newId('deployment'),
      name: String(number),
      owner: service.id,
      spec: {
        service_id: service.id,
        project_id: service.owner,
        number,
        source: { upload: { upload_id: body.upload_id, ...paths } },
        reuse: null,
        workload,
        stopped: false,
      },
      status: askedFor,
    });
    await writer.updateSpec('Service', service.id, (spec) => ({
      ...spec,
      rollout: { ...spec.rollout, target: deployment.id, running: true, configured: revisionOf(workload) },
    }));
    return deployment;
  });
}

/** Never with an empty value in the place of a secret. */
function frozenWorkload({ name, spec }: Row<'Service'>): Workload {
  const configuration = workloadOf(spec);
  if ('workload' in configuration) return configuration.workload;
  const { missing } = configuration;
  const [are, them] = missing.length === 1 ? ['This secret has', 'it'] : ['These secrets have', 'them'];
  throw new ProblemError(
    'conflict',
    `${are} no value yet: ${missing.join(', ')}. Set ${them} with svc secrets set ${name}, then deploy again.`,
  );
}
