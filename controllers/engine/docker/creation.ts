/**
 * What the engine is told about a replica's container: the whole of its rights. Pure. Nothing here comes from a manifest
 * but limits, environment and image.
 */
import type { ContainerLimits, Mount, ReplicaContainer } from '../engine.ts';

/**
 * What ordinary images need to start as root and then become another user (postgres, nginx, redis): own files, switch
 * user, signal children, bind ports below 1024. Of Docker's own list it leaves out MKNOD, NET_RAW, SYS_CHROOT, SETFCAP,
 * SETPCAP and AUDIT_WRITE, which serve escapes and spoofing more than services.
 */
export const capabilities = [
  'CHOWN',
  'DAC_OVERRIDE',
  'FOWNER',
  'FSETID',
  'KILL',
  'NET_BIND_SERVICE',
  'SETGID',
  'SETUID',
] as const;

/** Bytes and files that the engine keeps of a workload's output. It is only a buffer: svc copies it into its own logs. */
const logFile = { 'max-size': '10m', 'max-file': '2' } as const;

/** Body of `POST /containers/create`. */
export function creationOf(spec: ReplicaContainer) {
  return {
    Image: spec.image,
    ...(spec.command === undefined ? {} : { Cmd: [...spec.command] }),
    Env: Object.entries(spec.env).map(([name, value]) => `${name}=${value}`),
    Labels: { ...spec.labels },
    Tty: false,
    OpenStdin: false,
    // The health gate asks from outside; an image's own check would only cost processor time.
    Healthcheck: { Test: ['NONE'] },
    HostConfig: {
      NetworkMode: spec.network.name,
      PortBindings: {},
      PublishAllPorts: false,
      AutoRemove: false,
      Privileged: false,
      CapDrop: ['ALL'],
      CapAdd: [...capabilities],
      SecurityOpt: ['no-new-privileges'],
      Init: true,
      ...limitsOf(spec.limits),
      // No limit of open files: one above the engine's own makes every start fail where the engine may not raise it.
      LogConfig: { Type: 'json-file', Config: { ...logFile } },
      // Not `Binds`: those make a missing source as root.
      Mounts: spec.mounts.map(mountOf),
    },
    NetworkingConfig: {
      EndpointsConfig: { [spec.network.name]: { IPAMConfig: { IPv4Address: spec.network.address } } },
    },
  };
}

/** The part of a container's configuration that can be changed while it runs: `POST /containers/{id}/update`. */
export function limitsOf({ memoryBytes, cpus, pids }: ContainerLimits) {
  return {
    Memory: memoryBytes,
    // Memory and swap together: no swap.
    MemorySwap: memoryBytes,
    NanoCpus: Math.round(cpus * 1e9),
    PidsLimit: pids,
    // The replica controller is the one owner of restarts.
    RestartPolicy: { Name: 'no' },
  };
}

function mountOf(mount: Mount) {
  if ('volume' in mount)
    return { Type: 'volume' as const, Source: mount.volume, Target: mount.target, ReadOnly: false };
  const { source, target, readOnly = false } = mount;
  return { Type: 'bind' as const, Source: source, Target: target, ReadOnly: readOnly };
}
