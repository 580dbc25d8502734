/** The projects and services of a simulated node, which come and go under the same names. */
import { createRegistry } from '../../api/desired/registry.ts';
import { createService } from '../../api/desired/create-service.ts';
import { deleteProject, deleteService } from '../../api/desired/delete.ts';
import type { ApiContext } from '../../api/context.ts';
import type { OpenStore } from '../../api/store/open.ts';
import type { Row } from '../../specs/index.ts';
import type { CreateService } from '../../specs/requests.ts';
import { timestamp } from '../../specs/meta.ts';
import type { WorldClock } from './world-clock.ts';

type Slot = Required<Pick<CreateService, 'project' | 'name' | 'replicas' | 'listen' | 'volumes'>> & {
  drain: string;
};
const database = { project: 'data', name: 'db', replicas: 2, drain: '10s', listen: 'tcp' } as const;

/** The services of every world. The last two are alone in their projects; the last one has data, and its project stays. */
const slots = [
  { project: 'shop', name: 'web', replicas: 2, drain: '30s', listen: 'tcp', volumes: [] },
  { project: 'shop', name: 'api', replicas: 1, drain: '0s', listen: 'tcp', volumes: [] },
  { project: 'lab', name: 'job', replicas: 1, drain: '10s', listen: 'socket', volumes: [] },
  { ...database, volumes: [{ name: 'data', mount: '/data' }] },
] as const satisfies Slot[];
export const serviceCount: number = slots.length;

const member = 'usr_ann';

export interface TenantsDeps {
  store: OpenStore;
  readonly api: Pick<ApiContext, 'store' | 'newId' | 'settings'>;
  clock: WorldClock;
}

export class Tenants {
  readonly #deps: TenantsDeps;
  /** Id of the service that is, or was last, in each slot. */
  readonly services: string[] = [];
  /** Ids of what people deleted. */
  readonly deletedServices = new Set<string>();
  readonly deletedProjects = new Set<string>();

  constructor(deps: TenantsDeps) {
    this.#deps = deps;
  }

  /** Fills every slot of a new world. */
  async begin(): Promise<void> {
    const { store, clock } = this.#deps;
    const at = timestamp(clock.now());
    const user = { id: member, username: 'ann', password_hash: '-', super_admin: false, version: 1 };
    await store.accounts.createUser({ ...user, created_at: at, updated_at: at });
    for (const slot of slots.keys()) await this.fill(slot);
  }

  /** Creates the service of a slot, and its project, at once. Throws ProblemError when it is there. */
  async fill(nth: number): Promise<void> {
    const slot = slots[nth % slots.length] ?? slots[0];
    const { project, name, replicas, drain, listen, volumes } = slot;
    const owner = await this.#project(project);
    const mounts = { volumes: [...volumes] };
    const body: CreateService = {
      project,
      name,
      port: 8080,
      replicas,
      listen,
      release: { drain },
      ...mounts,
    };
    const { id } = await createService(this.#deps.api as ApiContext, owner, body);
    this.services[slots.indexOf(slot)] = id;
  }

  async deleteService(id: string): Promise<void> {
    await deleteService(this.#deps.store, id);
    this.deletedServices.add(id);
  }

  /** The project of a service, with all that it owns. */
  async deleteProjectOf(serviceId: string): Promise<void> {
    const { store } = this.#deps;
    const owner = (await store.get('Service', serviceId))?.owner ?? '';
    const services = await store.list('Service', { owner });
    await deleteProject(store, owner, { cascade: true });
    for (const { id } of services) this.deletedServices.add(id);
    this.deletedProjects.add(owner);
  }

  async #project(name: string): Promise<Row<'Project'>> {
    const { store, api, clock } = this.#deps;
    const found = await store.find('Project', null, name);
    if (found?.deleted_at === null) return found;
    const status = { subnet: null, network: null, network_name: null, conditions: [] };
    const row = { id: api.newId('project'), name, owner: null, spec: {}, status };
    const made = await store.write((writer) => writer.create('Project', row));
    const registry = { server: 'ghcr.io', username: 'shop', password: `the password of ${made.id}` };
    await createRegistry(api, made.id, registry);
    const at = timestamp(clock.now());
    await store.accounts.putMember({ project_id: made.id, user_id: member, role: 'Admin', at });
    return made;
  }
}
