/** Registries of a project: from where images are pulled, and as whom. The password is sealed with the row that names it. */
import type { Row } from '../../specs/index.ts';
import { ProblemError, type Violation } from '../../specs/problem.ts';
import type { CreateRegistry } from '../../specs/requests.ts';
import type { ApiContext } from '../context.ts';
import type { Store } from '../store/store.ts';
import { invalid } from '../validation.ts';
import { livingProject, requireVersion } from './living.ts';
import { requireProjectRoom } from './project-room.ts';
import { valueFault } from './variable.ts';

/** Throws `invalid`, `conflict` when the project has one for this server or is being deleted, or `too_large` when it has too many. */
export function createRegistry(
  { store, newId }: Pick<ApiContext, 'store' | 'newId'>,
  projectId: string,
  { server, username, password }: CreateRegistry,
): Promise<Row<'Registry'>> {
  const violations = violationsOf({ server, username, password });
  if (violations.length > 0) throw invalid(violations);
  return store.write(async (writer) => {
    const project = await livingProject(writer, projectId);
    const there = await writer.find('Registry', projectId, server);
    if (there) {
      throw new ProblemError(
        'conflict',
        `The project ${project.name} pulls from ${server} already, as ${there.spec.username}. Remove that first: svc registries remove ${server} -p ${project.name}.`,
      );
    }
    await requireProjectRoom(writer, 'Registry', projectId);
    const id = newId('registry');
    const sealed = { kind: 'registry-password', owner: id, name: '', project: projectId } as const;
    const password_version = await writer.seal({ ...sealed, value: password });
    const spec = { server, username, password_version };
    return writer.create('Registry', {
      id,
      name: server,
      owner: projectId,
      spec,
      status: { conditions: [] },
    });
  });
}

/** Nothing at a node depends on it: it goes at once, and its password with it. Does nothing if it is gone. */
export function deleteRegistry(store: Store, id: string, ifVersion?: number): Promise<void> {
  return store.write(async (writer) => {
    const registry = await writer.get('Registry', id);
    if (!registry) return;
    requireVersion(registry, ifVersion);
    await writer.dropSealed(id);
    await writer.purge('Registry', id);
  });
}

function violationsOf({ server, username, password }: CreateRegistry): Violation[] {
  const port = Number(server.split(':')[1] ?? 1);
  const faults = [
    ['/server', port > 65_535 ? 'has a port above 65535' : undefined],
    ['/username', /\p{Cc}/u.test(username) ? 'must not contain control characters' : valueFault(username)],
    ['/password', valueFault(password)],
  ] as const;
  return faults.flatMap(([path, message]) => (message === undefined ? [] : [{ path, message }]));
}
