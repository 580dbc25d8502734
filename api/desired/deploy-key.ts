/** The deploy key of a project: one or none. Its private half is sealed with the row that shows the public one. */
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { ApiContext } from '../context.ts';
import { generateKey } from '../ssh-key/generate.ts';
import { readPrivateKey, type SshKey } from '../ssh-key/private-key.ts';
import type { Reader, Store, Writer } from '../store/store.ts';
import { invalid } from '../validation.ts';
import { livingProject, requireVersion } from './living.ts';

/** Every project has at most one, of this name. */
const name = 'deploy-key';

/** Throws `not_found`, in words that say how to make one. */
export async function findDeployKey(reader: Reader, project: Row<'Project'>): Promise<Row<'DeployKey'>> {
  const row = await reader.find('DeployKey', project.id, name);
  if (row) return row;
  throw new ProblemError(
    'not_found',
    `The project ${project.name} has no deploy key. Make one: svc projects deploy-key generate ${project.name}.`,
  );
}

/** Takes the place of the key that is there. Throws `invalid`, `precondition_failed` and `conflict`. */
export async function setDeployKey(
  { store, newId }: ApiContext,
  project: Row<'Project'>,
  privateKey: string,
  ifVersion?: number,
): Promise<{ row: Row<'DeployKey'>; created: boolean }> {
  const read = await readPrivateKey(privateKey, commentOf(project));
  if ('fault' in read) throw invalid([{ path: '/private_key', message: read.fault }]);
  return store.write(async (writer) => {
    await livingProject(writer, project.id);
    const there = await writer.find('DeployKey', project.id, name);
    if (there) requireVersion(there, ifVersion);
    else if (ifVersion !== undefined)
      throw new ProblemError('precondition_failed', 'There is no deploy key yet that If-Match could mean.');
    if (!there) return { row: await create(writer, newId('deploy-key'), project, read.key), created: true };
    return { row: await replace(writer, there, project, read.key), created: false };
  });
}

/** Makes a key on the node. Throws `conflict` when there is one: what it opens now would be shut out. */
export async function generateDeployKey(
  { store, newId, random }: ApiContext,
  project: Row<'Project'>,
): Promise<Row<'DeployKey'>> {
  const key = await generateKey(random, commentOf(project));
  return store.write(async (writer) => {
    await livingProject(writer, project.id);
    if (await writer.find('DeployKey', project.id, name)) {
      throw new ProblemError(
        'conflict',
        `The project ${project.name} has a deploy key already. Delete it first: its repositories then need the new one.`,
      );
    }
    return create(writer, newId('deploy-key'), project, key);
  });
}

/** The row and the sealed private half, at once. Throws `not_found` and `precondition_failed`. */
export function deleteDeployKey(store: Store, project: Row<'Project'>, ifVersion?: number): Promise<void> {
  return store.write(async (writer) => {
    const row = await findDeployKey(writer, project);
    requireVersion(row, ifVersion);
    await writer.dropSealed(row.id);
    await writer.purge('DeployKey', row.id);
  });
}

function commentOf(project: Row<'Project'>): string {
  return `svc:${project.name}`;
}

async function create(
  writer: Writer,
  id: string,
  project: Row<'Project'>,
  { private_key, ...facts }: SshKey,
): Promise<Row<'DeployKey'>> {
  const private_key_version = await writer.seal({ ...sealedRef(id, project), value: private_key });
  const spec = { ...facts, private_key_version };
  return writer.create('DeployKey', { id, name, owner: project.id, spec, status: { conditions: [] } });
}

async function replace(
  writer: Writer,
  { id, spec }: Row<'DeployKey'>,
  project: Row<'Project'>,
  { private_key, ...facts }: SshKey,
): Promise<Row<'DeployKey'>> {
  await writer.dropSealed(id);
  const sealed = { ...sealedRef(id, project), value: private_key, after: spec.private_key_version };
  const private_key_version = await writer.seal(sealed);
  return writer.updateSpec('DeployKey', id, () => ({ ...facts, private_key_version }));
}

function sealedRef(id: string, project: Row<'Project'>) {
  return { kind: 'deploy-key', owner: id, name: '', project: project.id } as const;
}
