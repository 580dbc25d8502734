/** What the engine says of a container, as the port has it. Pure. */
import { Type, type Static } from '@sinclair/typebox';
import type { ContainerState } from '../engine.ts';
import { shorten } from '../errors.ts';
import { Labels } from './labels.ts';

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
});

export function stateOf({ Id, Name, Image, State, Config }: Static<typeof Inspection>): ContainerState {
  const state = phaseOf(State.Status);
  return {
    id: Id,
    name: Name.replace(/^\//, ''),
    labels: Config.Labels ?? {},
    image: Image.startsWith('sha256:') ? Image : `sha256:${Image}`,
    state,
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

/** The year 1 is how Go writes "never". */
function timeOf(time: string): string | null {
  return time.startsWith('0001-') ? null : time;
}
