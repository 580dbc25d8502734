/** What must be gone at rest: everything of what people deleted, in the store, at the engine and on disk. */
import type { World } from './world.ts';

/** @returns what is left of it */
export async function remains(world: World): Promise<string[]> {
  const { tenants } = world;
  const found: string[] = [];
  for (const id of tenants.deletedServices) found.push(...(await ofService(id, world)));
  for (const id of tenants.deletedProjects) found.push(...(await ofProject(id, world)));
  found.push(...(await ofNobody(world)));
  return found;
}

async function ofService(id: string, { store, engine, disk, truth }: World): Promise<string[]> {
  const rows = [
    ...(await store.list('Deployment', { owner: id })),
    ...(await store.list('Upload', { owner: id })),
    ...(await store.list('Replica')).filter(({ spec }) => spec.service_id === id),
  ].map((row) => row.id);
  if (await store.get('Service', id)) rows.push(id);
  const sealed = (await store.vault.list(id, 'env')).map(({ name }) => `the secret ${name}`);
  const repository = `svc/${id.replace('_', '-')}:`;
  const tags = engine.tags().filter((tag) => tag.startsWith(repository));
  const replicas = [...truth.replicas.values()].filter(({ spec }) => spec.service_id === id);
  const sockets = replicas.filter((replica) => disk.sockets.has(replica.id)).map(() => 'a socket directory');
  const deployments = replicas.map(({ spec }) => spec.deployment_id);
  const logs = [...disk.logs].filter(
    (log) => log.includes(id) || deployments.some((deployment) => log.includes(deployment)),
  );
  const left = [...rows, ...sealed, ...tags, ...sockets, ...logs];
  return left.map((what) => `(11) ${what} is left of the deleted ${id}`);
}

async function ofProject(id: string, { store }: World): Promise<string[]> {
  const left = (await store.get('Project', id)) ? [id] : [];
  const members = await store.accounts.listMembers(id);
  const registries = await store.list('Registry', { owner: id });
  const sealed = store.vault.secretsOf(id);
  if (members.length > 0) left.push('a member');
  if (registries.length > 0) left.push('a registry');
  if (sealed.length > 0) left.push(`${sealed.length} sealed values`);
  return left.map((what) => `(11) ${what} is left of the deleted ${id}`);
}

/** Networks, tags and directories whose row there is not, whatever became of it. */
async function ofNobody({ store, engine, disk }: World): Promise<string[]> {
  const [projects, deployments, replicas] = await Promise.all([
    store.list('Project'),
    store.list('Deployment'),
    store.list('Replica'),
  ]);
  const names = new Set(projects.map(({ status }) => status.network_name));
  const networks = engine.networkNames().filter((name) => !names.has(name));
  const ids = new Set(deployments.map(({ id }) => id.replace('_', '-')));
  const tags = engine.tags().filter((tag) => !ids.has(tag.split(':')[1] ?? ''));
  const known = new Set(replicas.map(({ id }) => id));
  const sockets = [...disk.sockets].filter((id) => !known.has(id));
  return [
    ...networks.map((name) => `(11) the network ${name} is nobody's`),
    ...tags.map((tag) => `(11) the image ${tag} is nobody's`),
    ...sockets.map((id) => `(11) the socket directory of ${id} is nobody's`),
  ];
}
