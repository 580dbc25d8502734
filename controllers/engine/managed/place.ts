/** Where a private engine keeps its things and what they are called. Pure. */
import { createHash } from 'node:crypto';
import { join } from 'node:path';

export interface Place {
  /** Images, containers, log: what lasts. */
  dataDir: string;
  /** Socket, pid file, runtime state: what a reboot takes. */
  runDir: string;
  root: string;
  configFile: string;
  logFile: string;
  socket: string;
  pidFile: string;
  execRoot: string;
  endpoint: string;
  /** Apart from that of every other engine on the host. */
  cgroupParent: string;
  /** First part of the names of all interfaces that belong to this engine. */
  interfaces: string;
  /** Interface that builds and nothing else is attached to. */
  buildBridge: string;
  /** Name of our chains in the host's firewall. */
  chain: string;
}

/** Every interface of a private engine of svc, this one's or another's. */
export const anyInterface = 'svc';

/** @param dataDir @param runDir absolute; the latter short, for it holds sockets */
export function placeOf(dataDir: string, runDir: string): Place {
  const id = createHash('sha256').update(dataDir).digest('hex').slice(0, 4);
  const interfaces = `${anyInterface}${id}-`;
  const socket = join(runDir, 'docker.sock');
  return {
    dataDir,
    runDir,
    root: join(dataDir, 'root'),
    configFile: join(dataDir, 'dockerd.json'),
    logFile: join(dataDir, 'dockerd.log'),
    socket,
    pidFile: join(runDir, 'docker.pid'),
    execRoot: join(runDir, 'exec'),
    endpoint: `unix://${socket}`,
    cgroupParent: `svc-${id}`,
    interfaces,
    buildBridge: `${interfaces}build`,
    chain: `SVC-${id.toUpperCase()}`,
  };
}
