/** What the engine says of a container, as the port has it. Pure. */
import { Type, type Static } from '@sinclair/typebox';
import type { ConnectedNetwork, ContainerState } from '../engine.ts';
import { shorten } from '../errors.ts';
import { Labels } from './labels.ts';
import { Tuned, tuningsOf, type Machine } from './tunings.ts';

const Endpoint = Type.Object({
  NetworkID: Type.Optional(Type.String()),
  IPAddress: Type.Optional(Type.String()),
  IPAMConfig: Type.Optional(
    Type.Union([Type.Null(), Type.Object({ IPv4Address: Type.Optional(Type.String()) })]),
  ),
});

export const Inspection = Type.Object({
  Id: Type.String(),
  Name: Type.String(),
  Image: Type.String(),
  State: Type.Object({
    Status: Type.String(),
    StartedAt: Type.String(),
    FinishedAt: Type.String(),
    ExitCode: Type.Integer(),
    OOMKilled: Type.Boolean(),
    Error: Type.Optional(Type.String()),
  }),
  Config: Type.Object({ Labels }),
  HostConfig: Type.Composite([
    Tuned,
    Type.Object({
      PidsLimit: Type.Optional(Type.Union([Type.Null(), Type.Integer()])),
      RestartPolicy: Type.Optional(Type.Object({ Name: Type.String() })),
    }),
  ]),
  NetworkSettings: Type.Object({
    Networks: Type.Optional(Type.Union([Type.Null(), Type.Record(Type.String(), Endpoint)])),
  }),
});
export type Inspection = Static<typeof Inspection>;

export function stateOf(inspection: Inspection, machine: Machine): ContainerState {
  const { Id, Name, Image, State, Config } = inspection;
  const state = phaseOf(State.Status);
  return {
    id: Id,
    name: Name.replace(/^\//, ''),
    labels: Config.Labels ?? {},
    image: Image.startsWith('sha256:') ? Image : `sha256:${Image}`,
    state,
    paused: State.Status === 'paused',
    networks: networksOf(inspection),
    limits: limitsOf(inspection),
    selfRestarting: !['', 'no'].includes(inspection.HostConfig.RestartPolicy?.Name ?? ''),
    tunings: tuningsOf(inspection.HostConfig, machine),
    startedAt: timeOf(State.StartedAt),
    exit:
      state === 'exited'
        ? {
            code: State.ExitCode,
            outOfMemory: State.OOMKilled,
            at: timeOf(State.FinishedAt) ?? State.FinishedAt,
            error: shorten(State.Error ?? ''),
          }
        : null,
  };
}

/** Docker's statuses: created, running, paused, restarting, removing, exited, dead; Podman's: initialized, stopped, stopping. */
function phaseOf(status: string): ContainerState['state'] {
  switch (status) {
    case 'created':
    case 'configured':
    case 'initialized':
      return 'created';
    case 'running':
    case 'paused':
    case 'restarting':
    case 'stopping':
      return 'running';
    default:
      return 'exited';
  }
}

/** What it has now, else, of one that does not run, what it asks for. */
function networksOf({ NetworkSettings }: Inspection): ConnectedNetwork[] {
  return Object.entries(NetworkSettings.Networks ?? {}).map(
    ([name, { NetworkID = '', IPAddress = '', IPAMConfig }]) => ({
      name,
      id: NetworkID,
      address: IPAddress === '' ? (IPAMConfig?.IPv4Address ?? '') : IPAddress,
    }),
  );
}

/**
 * What was asked for and this kernel cannot do, Docker leaves out: memory and processors as 0, processes as null. To ask for
 * as many processes as there may be is to ask for 0 or -1; of the others nobody can ask that later.
 */
function limitsOf({ HostConfig }: Inspection): ContainerState['limits'] {
  const { Memory = 0, NanoCpus = 0, PidsLimit = null } = HostConfig;
  return {
    memoryBytes: Memory > 0 ? Memory : null,
    cpus: NanoCpus > 0 ? NanoCpus / 1e9 : null,
    pids: PidsLimit !== null && PidsLimit <= 0 ? Infinity : PidsLimit,
  };
}

/** The year 1 is how Go writes "never". */
function timeOf(time: string): string | null {
  return time.startsWith('0001-') ? null : time;
}
