/** A project with one of everything in it, in which all but one of everybody have a role. */
import type { Kind } from '../../../../specs/index.ts';
import { timestamp } from '../../../../specs/meta.ts';
import type { RegistryResource } from '../../../../specs/resources.ts';
import { giveMember, type TestApi } from '../../../support/api.ts';
import {
  aDeployment,
  aDomain,
  aJob,
  aKnownHost,
  aVolume,
  aRun,
  anId,
  anUpload,
  aProject,
  aReplica,
  aService,
  given,
} from '../../../support/store.ts';
import { password, type Everybody } from './everybody.ts';

export interface Shop {
  project: string;
  service: string;
  /** The one that serves; there is one before it. */
  deployment: string;
  upload: string;
  registry: string;
  knownHost: string;
  volume: string;
  /** And a run of it that is under way. */
  job: string;
  run: string;
  /** Not verified; and its challenge. */
  domain: string;
  hostname: string;
  challenge: string;
  /** Names of a user who is a member, of one who is not, and one that nobody has. */
  member: string;
  stranger: string;
  fresh: string;
  /** All of it, and who there is, as text. */
  state(): Promise<string>;
}

/** @param n makes it another than all before */
export async function openShop(api: TestApi, { ids }: Everybody, n: number): Promise<Shop> {
  const { accounts, clock } = api;
  const project = anId('project', n);
  const shop = {
    project,
    service: anId('service', n),
    deployment: anId('deployment', 2 * n + 1),
    upload: anId('upload', n),
    knownHost: anId('known-host', n),
    volume: anId('volume', n),
    job: anId('job', n),
    run: anId('run', n),
    domain: anId('domain', n),
    hostname: `shop-${n}.example.com`,
    challenge: `challenge-${n}`,
  };
  await giveRows(api, shop, n);
  await api.store.events.append({
    ...{ project_id: project, service_id: shop.service, kind: 'Service', object: shop.service, name: 'web' },
    ...{ type: 'Normal', reason: 'Serving', message: 'It serves.' },
  });
  const at = timestamp(clock.now());
  for (const role of ['Admin', 'Operator', 'Viewer'] as const)
    await accounts.putMember({ project_id: project, user_id: ids[role], role, at });
  const names = { member: `member-${n}`, stranger: `stranger-${n}`, fresh: `fresh-${n}` };
  const others = [
    await giveMember(api, names.member, { [project]: 'Viewer' }),
    await giveMember(api, names.stranger),
  ];
  const users = [...Object.values(ids), ...others.map(({ id }) => id)];
  await api.call('POST', `/v1/projects/${project}/deploy-key/generate`);
  const credentials = { server: 'registry.example.com', username: 'ci', password };
  const registry = await api.call('POST', `/v1/projects/${project}/registries`, credentials);
  return {
    ...shop,
    ...names,
    registry: registry.json<RegistryResource>().id,
    state: () => stateOf(api, shop, users),
  };
}

type Rows = Pick<
  Shop,
  | 'job'
  | 'run'
  | 'project'
  | 'service'
  | 'deployment'
  | 'upload'
  | 'knownHost'
  | 'volume'
  | 'domain'
  | 'hostname'
  | 'challenge'
>;

async function giveRows({ store, uploads }: TestApi, shop: Rows, n: number): Promise<void> {
  const { project, service, deployment, upload, domain: id, hostname, challenge: token } = shop;
  const before = anId('deployment', 2 * n);
  const image = `sha256:${'0'.repeat(64)}`;
  const deployed = (id: string, number: number, phase: 'Inactive' | 'Healthy') =>
    aDeployment({
      ...{ id, name: String(number), owner: service },
      spec: { number, service_id: service, project_id: project },
      status: { phase, image },
    });
  const rollout = { target: deployment, running: true, epoch: 0, configured: null };
  await given(
    store,
    aProject({ id: project, name: `shop-${n}` }),
    aService({
      id: service,
      owner: project,
      spec: { rollout },
      status: { promoted: deployment, previous: before },
    }),
    deployed(before, 1, 'Inactive'),
    deployed(deployment, 2, 'Healthy'),
    aReplica({
      ...{ id: anId('replica', n), owner: deployment },
      spec: { deployment_id: deployment, service_id: service, project_id: project },
      status: { phase: 'Ready', container: 'c-1' },
    }),
    aDomain({ id, spec: { hostname, token, service_id: service, project_id: project } }),
    aKnownHost({ id: shop.knownHost, owner: project }),
    aVolume({ id: shop.volume, owner: project, spec: { project_id: project, service: 'gone' } }),
    aJob({ id: shop.job, owner: project, spec: { project_id: project, concurrency: 'allow' } }),
    aRun({
      ...{ id: shop.run, owner: shop.job },
      spec: { project_id: project, job_id: shop.job },
      status: { phase: 'Running' },
    }),
    anUpload({ id: upload, name: upload, owner: service, spec: { service_id: service } }),
  );
  uploads.staged.set(upload, Buffer.from('an archive'));
}

/** @param users ids of those whose tokens count */
async function stateOf(
  { store, accounts, uploads }: TestApi,
  { project, service, job }: Rows,
  users: readonly string[],
): Promise<string> {
  const tokens = async (id: string) => [
    ...(await accounts.listTokens(id, 'api')),
    ...(await accounts.listTokens(id, 'session')),
  ];
  const owned = <K extends Kind>(owner: string, kinds: readonly K[]) =>
    Promise.all(kinds.map((kind) => store.list(kind, { owner })));
  return JSON.stringify([
    // Not what each token was last used at: that changes with every request.
    (await Promise.all(users.map(tokens))).flat().map(({ id }) => id),
    ...[await accounts.listUsers(), await accounts.listMembers(project), await store.list('Project')],
    ...[
      await owned(project, ['Service', 'Registry', 'DeployKey', 'KnownHost', 'Volume', 'Job']),
      await owned(job, ['Run']),
      await owned(service, ['Deployment', 'Upload', 'Domain']),
    ],
    ...[[...uploads.staged.keys()], store.vault.keyVersion(), await store.vault.list(service, 'env')],
  ]);
}
