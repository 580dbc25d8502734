/** Containers of replicas at a Docker engine: every call may be made twice. */
import { Type } from '@sinclair/typebox';
import type { Clock } from '../../../specs/clock.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline } from '../deadline.ts';
import { EngineError, type ContainerState, type Labels, type ReplicaContainer } from '../engine.ts';
import { sayingOf, shorten, statusOf, toEngineError } from '../errors.ts';
import { expect } from '../expect.ts';
import { creationOf } from './creation.ts';
import { Inspection, stateOf } from './inspection.ts';
import { carries, labelFilter } from './labels.ts';

const Listed = Type.Array(Type.Object({ Id: Type.String() }));

/** Inspections at once: the engine answers them one lock at a time, more would only queue there. */
const inspectionsAtOnce = 8;

/** What the engine writes at a container although the trouble is its own. */
const engineTrouble = /containerd|code = Unavailable|context (canceled|deadline exceeded)|shutting down/i;

/** A name is taken some time before its container can be seen. Pause in milliseconds. */
const making = { tries: 25, pause: 200 } as const;

/** Of a job as well as of a service: both have a command that can be set. */
const noCommand =
  'The image has no command to run: set one (`--command`, or `command` in the manifest), or give its Dockerfile a CMD';

const gone = 'The engine no longer has the container';

export async function createReplica(
  connection: Connection,
  clock: Clock,
  spec: ReplicaContainer,
): Promise<string> {
  // The body apart from the query: dockerode would write all of it, with the environment, into the URL.
  const options = { _query: { name: spec.name }, _body: creationOf(spec) };
  try {
    return await withDeadline(clock, 'create the container', deadlines.write, async (abortSignal) => {
      const created = await connection.quick.createContainer({ ...options, abortSignal });
      return expect(Type.String({ minLength: 1 }), created.id, 'a new container');
    });
  } catch (error) {
    const { cause } = error as EngineError;
    if (statusOf(cause) === 409) return adopt(connection, clock, spec, error);
    if (/no such image/i.test(sayingOf(cause)))
      throw new EngineError('not_found', 'The engine no longer has the image: deploy again', cause);
    if (/no command specified/i.test(sayingOf(cause))) throw new EngineError('refused', noCommand, cause);
    throw error;
  }
}

export async function startReplica(connection: Connection, clock: Clock, id: string): Promise<void> {
  await withDeadline(clock, 'start the container', deadlines.write, async (abortSignal) => {
    try {
      await container(connection.quick, id).start({ abortSignal });
    } catch (error) {
      // Runs already.
      if (statusOf(error) === 304) return;
      throw await startError(connection, clock, id, error);
    }
  });
}

export async function stopReplica(
  { slow }: Connection,
  clock: Clock,
  id: string,
  graceMs: number,
): Promise<void> {
  const seconds = Math.ceil(graceMs / 1000);
  await withDeadline(clock, 'stop the container', graceMs + deadlines.write, (abortSignal) =>
    container(slow, id).stop({ t: seconds, abortSignal }).catch(unless(304, 404)),
  );
}

export async function removeReplica({ slow }: Connection, clock: Clock, id: string): Promise<void> {
  await withDeadline(clock, 'remove the container', deadlines.write, async (abortSignal) => {
    try {
      await container(slow, id).remove({ force: true, v: true, abortSignal });
    } catch (error) {
      if (statusOf(error) === 404) return;
      if (statusOf(error) !== 409) throw error;
      // Somebody is at it already: wait for the end of that.
      await container(slow, id).wait({ condition: 'removed', abortSignal }).catch(unless(404));
    }
  });
}

/** By id or name. */
export async function inspectReplica(
  connection: Connection,
  clock: Clock,
  id: string,
): Promise<ContainerState | undefined> {
  const inspection = await inspect(connection, clock, id);
  return inspection && stateOf(inspection, connection.machine);
}

/** By id or name; undefined when there is none. */
export async function inspect(
  { quick }: Connection,
  clock: Clock,
  id: string,
): Promise<Inspection | undefined> {
  const reply: unknown = await withDeadline(clock, 'inspect the container', deadlines.read, (abortSignal) =>
    container(quick, id)
      .inspect({ abortSignal } as object)
      .catch(unless(404)),
  );
  return reply === undefined ? undefined : expect(Inspection, reply, 'a container');
}

export async function listReplicas(
  connection: Connection,
  clock: Clock,
  labels: Labels,
): Promise<ContainerState[]> {
  const filters = { label: labelFilter(labels) };
  const reply: unknown = await withDeadline(clock, 'list containers', deadlines.read, (abortSignal) =>
    connection.quick.listContainers({ all: true, filters, abortSignal }),
  );
  const ids = expect(Listed, reply, 'a list of containers').map(({ Id }) => Id);
  const states: ContainerState[] = [];
  // The list has neither exit codes nor times.
  for (let index = 0; index < ids.length; index += inspectionsAtOnce) {
    const some = ids.slice(index, index + inspectionsAtOnce);
    const inspected = await Promise.all(some.map((id) => inspectReplica(connection, clock, id)));
    states.push(...inspected.filter((state) => state !== undefined));
  }
  return states;
}

/** Takes the container that has the name already. It may still be in the making by a call that was given up. */
async function adopt(
  connection: Connection,
  clock: Clock,
  spec: ReplicaContainer,
  error: unknown,
): Promise<string> {
  let found = await inspectReplica(connection, clock, spec.name);
  for (let tries = 0; !found && tries < making.tries; tries++) {
    await new Promise<void>((resolve) => clock.after(making.pause, resolve));
    found = await inspectReplica(connection, clock, spec.name);
  }
  if (!found) throw error;
  if (carries(found.labels, spec.labels)) return found.id;
  throw new EngineError(
    'conflict',
    `A container ${spec.name} that is not this replica's exists at the engine: remove or rename it`,
  );
}

/**
 * Why a start failed. The status alone does not tell (a missing user is a 500): where the engine wrote the error down
 * at the container, the container is at fault and not the engine.
 */
async function startError(
  connection: Connection,
  clock: Clock,
  id: string,
  error: unknown,
): Promise<EngineError> {
  const status = statusOf(error);
  if (status === undefined) return toEngineError(error, 'start the container');
  const inspected = await container(connection.quick, id).inspect().catch(unless(404));
  if (inspected === undefined) return new EngineError('not_found', gone, error);
  const said = expect(Inspection, inspected, 'a container').State.Error ?? '';
  const failed = toEngineError(error, 'start the container');
  if (said === '' || engineTrouble.test(said) || failed.code === 'conflict' || failed.code === 'not_found')
    return failed;
  return new EngineError('refused', `The container cannot start: ${shorten(said)}`, error);
}

export function container(
  docker: Connection['quick'],
  id: string,
): ReturnType<Connection['quick']['getContainer']> {
  return docker.getContainer(encodeURIComponent(id));
}

export function unless(...statuses: number[]): (error: unknown) => undefined {
  return (error) => {
    if (statuses.includes(statusOf(error) ?? 0)) return undefined;
    throw error;
  };
}
