/** A data path in this process: for what does not need processes. */
import type { TestContext } from 'node:test';
import { createDataPath, type DataPath } from '../../../ingress/worker/data-path.ts';
import { freePort } from '../../support/free-port.ts';
import {
  noServiceTraffic,
  noTraffic,
  type ServiceTraffic,
  type Traffic,
  type TrafficChanges,
} from '../../../ingress/traffic.ts';
import type { Routes } from './replicas.ts';
import { sandbox, type Sandbox } from './sandbox.ts';

export interface Running extends Sandbox {
  dataPath: DataPath;
  /** What it would tell the control plane. */
  reports: string[];
  idle: string[];
  /** Certificate and key by id, as PEM: what the run directory would hold. */
  pairs: Map<string, string>;
  /** Where it speaks TLS. */
  tlsPort: number;
  /** What it counted of a replica, of a service of `routesTo`. */
  traffic(replica: string): Traffic;
  serviceTraffic(name: string): ServiceTraffic;
  /** Swaps the routes. */
  route(routes: Routes): void;
}

export async function runDataPath(t: Pick<TestContext, 'after'>): Promise<Running> {
  const place = await sandbox(t);
  const [reports, idle]: [string[], string[]] = [[], []];
  const pairs = new Map<string, string>();
  const dataPath = createDataPath({
    readPair: (id) => Promise.resolve(pairs.get(id) ?? Promise.reject(new Error('no such file'))),
    report: (message) => reports.push(message),
    idle: (replica) => idle.push(replica),
    counted: () => undefined,
  });
  await dataPath.listen([`127.0.0.1:${place.port}`]);
  const tlsPort = await freePort();
  await dataPath.listenTls([`127.0.0.1:${tlsPort}`]);
  t.after(() => dataPath.drain({ idle_ms: 0, limit_ms: 0 }));
  let revision = 0;
  const route = (routes: Routes): void => {
    revision += 1;
    dataPath.apply({ revision, ...routes });
  };
  const figures = (): TrafficChanges =>
    structuredClone(dataPath.traffic(true) ?? { replicas: {}, services: {} });
  const traffic = (replica: string): Traffic => figures().replicas[replica] ?? noTraffic();
  const serviceTraffic = (name: string): ServiceTraffic =>
    figures().services[`svc_${name}`] ?? noServiceTraffic();
  return { ...place, dataPath, reports, idle, pairs, tlsPort, route, traffic, serviceTraffic };
}
