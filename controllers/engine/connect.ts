/** Connects to an engine: opens nothing by itself, but finds out which API version both sides speak. */
import Docker from 'dockerode';
import { Type, type Static, type TSchema } from '@sinclair/typebox';
import type { Clock } from '../../specs/clock.ts';
import { EngineAgent } from './agent.ts';
import { deadlines, withDeadline } from './deadline.ts';
import { cgroupParentOf } from './docker/cgroup-parent.ts';
import type { Machine } from './docker/tunings.ts';
import { parseEndpoint, type Endpoint } from './endpoint.ts';
import { EngineError } from './engine.ts';
import { expect } from './expect.ts';

/** The oldest API that has all we use (Docker 20.10, Podman 4), and the newest that we know. */
export const oldestApi = '1.41';
export const newestApi = '1.51';

export interface Connection {
  /** For short calls: frees the socket when the engine is silent. */
  quick: Docker;
  /** For streams and calls that may take long. */
  slow: Docker;
  version: string;
  apiVersion: string;
  /** What its images must be made for, such as `linux/amd64`; undefined where the engine does not say. */
  platform: string | undefined;
  /** cgroup of this host below which the engine puts BuildKit's steps; undefined where it cannot be limited by us. */
  cgroupParent: string | undefined;
  /** Where it keeps everything; undefined where it is not on this host. */
  root: string | undefined;
  /** How the engine wants the interfaces of networks named; undefined where it names them itself. */
  interfaces: string | undefined;
  /**
   * Bytes at which it takes longer lines of workloads apart, so that a shorter piece without a line end is the last that a run
   * printed (moby, daemon/logger: `Copier`). undefined for Podman, which passes on what was written as it was.
   */
  linePiece: number | undefined;
  machine: Machine;
}

const Version = Type.Object({
  ApiVersion: Type.String({ pattern: '^\\d+\\.\\d+$' }),
  MinAPIVersion: Type.Optional(Type.String()),
  Version: Type.String(),
  Os: Type.Optional(Type.String()),
  Arch: Type.Optional(Type.String()),
  Components: Type.Optional(Type.Union([Type.Null(), Type.Array(Type.Object({ Name: Type.String() }))])),
});

const Info = Type.Object({
  DockerRootDir: Type.Optional(Type.String()),
  CgroupDriver: Type.Optional(Type.String()),
  CgroupVersion: Type.Optional(Type.String()),
  NCPU: Type.Optional(Type.Integer()),
  SwapLimit: Type.Optional(Type.Boolean()),
  Labels: Type.Optional(Type.Union([Type.Null(), Type.Array(Type.String())])),
});

/** Label of a private engine: how the names of its networks' interfaces begin, which its firewall goes by. */
export const interfacesLabel = 'svc.interfaces';

/** Rejects with `unavailable` when nothing answers, or when it is no engine that we can talk to. */
export async function connect(endpoint: string, clock: Clock): Promise<Connection> {
  const at = parseEndpoint(endpoint);
  const version = await ask(open(at, undefined, deadlines.read), clock, 'version', Version);
  const apiVersion = negotiate(version);
  const quick = open(at, apiVersion, 2 * deadlines.write);
  const info = await ask(quick, clock, 'info', Info);
  return {
    quick,
    slow: open(at, apiVersion, undefined),
    version: version.Version,
    apiVersion,
    platform: version.Os && version.Arch ? `${version.Os}/${version.Arch}` : undefined,
    cgroupParent:
      at.kind === 'unix' && isLimitable(version, info) ? await cgroupParentOf(at.path) : undefined,
    root: at.kind === 'unix' && info.DockerRootDir?.startsWith('/') ? info.DockerRootDir : undefined,
    interfaces: interfacesOf(info),
    linePiece: isPodman(version) ? undefined : 16 * 1024,
    machine: {
      cpus: info.NCPU !== undefined && info.NCPU > 0 ? info.NCPU : undefined,
      cgroup: info.CgroupVersion === '2' ? 'v2' : 'v1',
      limitsSwap: info.SwapLimit ?? false,
    },
  };
}

/** Whether we may put limits on what an engine of this host does in its cgroups. */
function isLimitable(version: Static<typeof Version>, { CgroupDriver }: Static<typeof Info>): boolean {
  // systemd makes the cgroups of the other driver, one beside the other: there is nothing above them to limit.
  return !isPodman(version) && CgroupDriver === 'cgroupfs' && process.getuid?.() === 0;
}

function interfacesOf({ Labels }: Static<typeof Info>): string | undefined {
  const label = Labels?.find((one) => one.startsWith(`${interfacesLabel}=`));
  return label?.slice(interfacesLabel.length + 1);
}

function isPodman({ Components }: Static<typeof Version>): boolean {
  return Components?.some(({ Name }) => Name.startsWith('Podman')) ?? false;
}

/** Whether it still answers: rejects when it does not. */
export async function ping({ quick }: Connection, clock: Clock): Promise<void> {
  await ask(quick, clock, 'version', Version);
}

async function ask<T extends TSchema>(
  docker: Docker,
  clock: Clock,
  what: 'version' | 'info',
  schema: T,
): Promise<Static<T>> {
  const reply = await withDeadline(clock, `tell its ${what}`, deadlines.read, (abortSignal) =>
    // The types have no options here; the code takes them.
    (docker[what] as (options: object) => Promise<unknown>).call(docker, { abortSignal }),
  );
  return expect(schema, reply, `its ${what}`);
}

/** @returns the newest version that both sides speak */
export function negotiate(version: Pick<Static<typeof Version>, 'ApiVersion' | 'MinAPIVersion'>): string {
  const { ApiVersion: newestThere, MinAPIVersion: oldestThere } = version;
  if (compare(newestThere, oldestApi) < 0)
    throw new EngineError(
      'unavailable',
      `The container engine is too old (API ${newestThere}): upgrade it to one with API ${oldestApi} or newer, such as Docker 20.10`,
    );
  const chosen = compare(newestThere, newestApi) < 0 ? newestThere : newestApi;
  if (oldestThere && compare(chosen, oldestThere) < 0)
    throw new EngineError(
      'unavailable',
      `The container engine is too new (API ${oldestThere} and up, known up to ${newestApi}): upgrade svc`,
    );
  return chosen;
}

function compare(a: string, b: string): number {
  const [aMajor = 0, aMinor = 0] = a.split('.').map(Number);
  const [bMajor = 0, bMinor = 0] = b.split('.').map(Number);
  return aMajor - bMajor || aMinor - bMinor;
}

/** @param idle milliseconds of silence after which a socket is closed */
function open(endpoint: Endpoint, apiVersion: string | undefined, idle: number | undefined): Docker {
  const where =
    endpoint.kind === 'unix'
      ? { socketPath: endpoint.path, host: undefined }
      : {
          host: `http://${endpoint.host}`,
          port: endpoint.port,
          protocol: 'http' as const,
          socketPath: undefined,
        };
  // Everything that dockerode would otherwise take from the environment is given.
  const options = {
    ...where,
    key: undefined,
    cert: undefined,
    ca: undefined,
    timeout: idle,
    version: apiVersion === undefined ? undefined : `v${apiVersion}`,
    agent: new EngineAgent(),
  };
  try {
    return new Docker(options);
  } catch (error) {
    // It reads the environment all the same, and throws when that is malformed.
    throw new EngineError(
      'refused',
      '$DOCKER_HOST or $DOCKER_CERT_PATH cannot be used: correct or unset it',
      error,
    );
  }
}
