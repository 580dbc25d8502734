/** A push, a Git source or an image: one new deployment, and the wish that it should serve. */
import { workloadOf } from '../../specs/configuration.ts';
import { askedFor, nextNumber } from '../../specs/deployment.ts';
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { CreateDeployment } from '../../specs/requests.ts';
import { revisionOf } from '../../specs/revision.ts';
import type { Workload } from '../../specs/workload.ts';
import type { ApiContext } from '../context.ts';
import type { Reader } from '../store/store.ts';
import { invalid } from '../validation.ts';
import { livingService } from './living.ts';
import { sourceOf } from './deployment-source.ts';

/**
 * Creates the deployment and makes it the service's target, which also starts a stopped service. What the workload is
 * made of is frozen here. Throws `invalid` for an upload that is not this service's, and for an address, a reference or a
 * path that is not taken; `conflict` while a declared secret has no value, and when the service is being deleted.
 */
export async function deploy(
  { store, newId }: ApiContext,
  body: CreateDeployment,
): Promise<Row<'Deployment'>> {
  const { source, violations } = sourceOf(body);
  return store.write(async (writer) => {
    const service = await livingService(writer, body.service_id);
    if ('upload' in source && !(await hasUpload(writer, service.id, source.upload.upload_id))) {
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
        source,
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

async function hasUpload(reader: Reader, serviceId: string, uploadId: string): Promise<boolean> {
  const upload = await reader.get('Upload', uploadId);
  return upload?.owner === serviceId && upload.deleted_at === null;
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
