/** Networks at a Docker engine. */
import { createHash } from 'node:crypto';
import { Type, type Static } from '@sinclair/typebox';
import type { Clock } from '../../../specs/clock.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline } from '../deadline.ts';
import { EngineError, type NetworkSpec, type NetworkState } from '../engine.ts';
import { statusOf, toEngineError } from '../errors.ts';
import { expect } from '../expect.ts';
import { carries, Labels } from './labels.ts';

const Network = Type.Object({
  Id: Type.String(),
  Name: Type.String(),
  Labels,
  IPAM: Type.Optional(
    Type.Object({
      Config: Type.Optional(
        Type.Union([Type.Null(), Type.Array(Type.Object({ Subnet: Type.Optional(Type.String()) }))]),
      ),
    }),
  ),
});

const Created = Type.Object({ Id: Type.String({ minLength: 1 }) });

export async function listNetworks({ quick }: Connection, clock: Clock): Promise<NetworkState[]> {
  const reply: unknown = await withDeadline(clock, 'list networks', deadlines.read, (abortSignal) =>
    quick.listNetworks({ abortSignal }),
  );
  return expect(Type.Array(Network), reply, 'a list of networks').map(stateOf);
}

/** Creates it, or adopts the one of this name whose labels and range are the same. */
export async function ensureNetwork(
  connection: Connection,
  clock: Clock,
  spec: NetworkSpec,
): Promise<string> {
  const there = await adopt(connection, clock, spec);
  if (there !== undefined) return there;
  try {
    const reply: unknown = await withDeadline(
      clock,
      'create the network',
      deadlines.write,
      async (abortSignal) => {
        const { id } = await connection.quick.createNetwork({
          ...creation(spec, interfaceOf(connection, spec.name)),
          abortSignal,
        });
        return { Id: id };
      },
    );
    return expect(Created, reply, 'a new network').Id;
  } catch (error) {
    // Another call was faster, or the reply of an earlier one was lost.
    const found = statusOf((error as Error).cause) === 409 ? await adopt(connection, clock, spec) : undefined;
    if (found === undefined) throw error;
    return found;
  }
}

/** Succeeds when it is gone. */
export async function removeNetwork({ quick }: Connection, clock: Clock, id: string): Promise<void> {
  await withDeadline(clock, 'remove the network', deadlines.write, (abortSignal) =>
    quick
      .getNetwork(encodeURIComponent(id))
      .remove({ abortSignal })
      .catch((error: unknown) => {
        if (statusOf(error) !== 404) throw toEngineError(error, 'remove the network');
      }),
  );
}

/**
 * Replicas of one project reach each other; the engine keeps bridges apart from each other. Nothing but its own
 * containers may be attached later by hand.
 */
function creation(spec: NetworkSpec, bridge: string | undefined) {
  return {
    Name: spec.name,
    CheckDuplicate: true,
    Driver: 'bridge',
    Internal: false,
    Attachable: false,
    EnableIPv6: false,
    IPAM: { Driver: 'default', Config: [{ Subnet: spec.subnet }] },
    Options: {
      'com.docker.network.bridge.enable_icc': 'true',
      ...(bridge === undefined ? {} : { 'com.docker.network.bridge.name': bridge }),
    },
    Labels: { ...spec.labels },
  };
}

/** At most 15 characters, as Linux wants it (IFNAMSIZ): eight that the engine asks for, seven of the network's name. */
export function interfaceOf(
  { interfaces }: Pick<Connection, 'interfaces'>,
  network: string,
): string | undefined {
  const hash = createHash('sha256').update(network).digest('hex').slice(0, 12);
  return interfaces && interfaces + BigInt(`0x${hash}`).toString(36).padStart(7, '0').slice(-7);
}

async function adopt(connection: Connection, clock: Clock, spec: NetworkSpec): Promise<string | undefined> {
  const found = (await listNetworks(connection, clock)).find((network) => network.name === spec.name);
  if (!found) return undefined;
  if (carries(found.labels, spec.labels) && found.subnets.includes(spec.subnet)) return found.id;
  throw new EngineError(
    'conflict',
    `A network ${spec.name} that is not this project's exists at the engine: remove or rename it`,
  );
}

function stateOf({ Id, Name, Labels, IPAM }: Static<typeof Network>): NetworkState {
  const subnets = (IPAM?.Config ?? []).flatMap(({ Subnet }) => Subnet ?? []);
  return { id: Id, name: Name, subnets, labels: Labels ?? {} };
}
