/** Puts right at a Docker engine what was changed at a container by hand: every call may be made twice. */
import type { Clock } from '../../../specs/clock.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline } from '../deadline.ts';
import { EngineError, type ContainerLimits, type NetworkPlace } from '../engine.ts';
import { sayingOf, statusOf, toEngineError } from '../errors.ts';
import { limitsOf } from './creation.ts';
import { container, inspect, unless } from './replicas.ts';
import { resetsOf } from './tunings.ts';

/** The engine asked the kernel, and that said no: its status is 500, as if the engine were in trouble. */
const refusal = /cannot update container|resource busy|invalid argument/i;

const notPaused = /is not paused/i;

export async function unpauseReplica({ quick }: Connection, clock: Clock, id: string): Promise<void> {
  await withDeadline(clock, 'unpause the container', deadlines.write, async (abortSignal) => {
    try {
      await container(quick, id).unpause({ abortSignal });
    } catch (error) {
      if (!notPaused.test(sayingOf(error))) throw error;
    }
  });
}

export async function connectReplica(
  { quick }: Connection,
  clock: Clock,
  id: string,
  { name, address }: NetworkPlace,
): Promise<void> {
  await withDeadline(clock, 'connect the container', deadlines.write, async (abortSignal) => {
    const body = { Container: id, EndpointConfig: { IPAMConfig: { IPv4Address: address } }, abortSignal };
    try {
      await quick.getNetwork(encodeURIComponent(name)).connect(body);
    } catch (error) {
      const failed = toEngineError(error, 'connect the container');
      // Docker 20.10 says 403 of one that is connected already.
      throw statusOf(error) === 403 ? new EngineError('conflict', failed.message, error) : failed;
    }
  });
}

export async function disconnectReplica(
  { quick }: Connection,
  clock: Clock,
  id: string,
  network: string,
): Promise<void> {
  await withDeadline(clock, 'disconnect the container', deadlines.write, async (abortSignal) => {
    try {
      // By force: of a network that is gone as well.
      const body = { Container: id, Force: true, abortSignal };
      await quick.getNetwork(encodeURIComponent(network)).disconnect(body);
    } catch (error) {
      if (!/is not connected to/i.test(sayingOf(error))) unless(404)(error);
    }
  });
}

export async function renameReplica(
  { quick }: Connection,
  clock: Clock,
  id: string,
  name: string,
): Promise<void> {
  await withDeadline(clock, 'rename the container', deadlines.write, (abortSignal) =>
    container(quick, id).rename({ name, abortSignal }),
  );
}

export async function limitReplica(
  connection: Connection,
  clock: Clock,
  id: string,
  limits: ContainerLimits,
): Promise<void> {
  const { quick, machine } = connection;
  const now = (await inspect(connection, clock, id))?.HostConfig ?? {};
  const body = { ...limitsOf(limits), ...resetsOf(now, machine) };
  await withDeadline(clock, 'change the limits', deadlines.write, async (abortSignal) => {
    try {
      await container(quick, id).update({ ...body, abortSignal });
    } catch (error) {
      const said = sayingOf(error);
      if (statusOf(error) === 404 || !refusal.test(said)) throw toEngineError(error, 'change the limits');
      throw new EngineError('refused', `The engine cannot change the limits while it runs: ${said}`, error);
    }
  });
}
