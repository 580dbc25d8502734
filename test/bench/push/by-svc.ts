/** The way through svc: `svc push` as its user types it, then one request through the ingress. */
import { fileURLToPath } from 'node:url';
import { createClient, type Client } from '../../../cli/client.ts';
import { configPath, readConfig } from '../../../cli/config.ts';
import { systemClock } from '../../../cli/system-clock.ts';
import type { DeploymentLogStatus } from '../../../specs/log-entry.ts';
import { startNode, until, type TestNode } from '../../support/node.ts';
import { createService } from '../../support/node-api.ts';
import { now } from './clock.ts';
import { followEngine, type EngineEvents } from './engine-events.ts';
import { timed } from './process.ts';
import { type Facts, type Request } from './timeline.ts';

export interface BySvc {
  endpoint: string;
  /** @param dir working tree @param expected what the ingress has to answer */
  round(dir: string, expected: string): Promise<Facts>;
  close(): Promise<void>;
}

const program = fileURLToPath(new URL('../../../cli/svc', import.meta.url));
/** `project/service` that is pushed to. */
export const target = 'demo/hello';
const host = 'hello.demo.localhost';

export async function bySvc(): Promise<BySvc> {
  // Where the time goes is read from its log, reads included.
  const node = await startNode(['--log-level', 'debug']);
  let events: EngineEvents | undefined;
  let client: Client | undefined;
  const close = async (): Promise<void> => {
    events?.close();
    client?.close();
    await node.stop();
  };
  try {
    events = await followEngine(node.engine);
    // What was replaced goes at once, so that no round is beside another one's.
    await createService(node, { name: 'hello' });
    const config = await readConfig(configPath(node.clientDir, undefined));
    client = createClient({ clock: systemClock, version: 'bench', ...config, url: node.apiUrl });
    const parts = { node, client, events };
    return {
      endpoint: node.engine,
      round: (dir, expected) => round(dir, expected, parts),
      close,
    };
  } catch (error) {
    await close();
    throw error;
  }
}

interface Parts {
  node: TestNode;
  client: Client;
  events: EngineEvents;
}

async function round(dir: string, expected: string, { node, client, events }: Parts): Promise<Facts> {
  const env = { ...process.env, SVC_CONFIG_DIR: node.clientDir, NO_COLOR: '1' };
  const logged = node.log().length;
  const { began, ended } = await timed(program, { env, args: ['push'], cwd: dir });
  const { status, text } = await node.get(host);
  const served = now();
  if (status !== 200 || text !== expected) throw new Error(`the ingress answers ${status}: ${text}`);
  const requests = requestsIn(node.log().slice(logged));
  const id = await settled(client);
  const statuses = await statusesOf(client, id);
  const during = events.all.filter(({ at }) => at >= began && at <= ended);
  return { began, ended, served, requests, statuses, events: during };
}

/** Once only the newest deployment has replicas. @returns its id */
function settled(client: Client): Promise<string> {
  return until('the replica before is gone', async () => {
    const [newest, ...older] = await client.deployments();
    return older.every(({ replicas }) => replicas.length === 0) && newest?.id;
  });
}

async function statusesOf(client: Client, id: string): Promise<DeploymentLogStatus[]> {
  const found: DeploymentLogStatus[] = [];
  const { signal } = new AbortController();
  for await (const { event, data } of client.followDeployment(id, { signal }))
    if (event === 'status') found.push(JSON.parse(data) as DeploymentLogStatus);
  return found;
}

/** What the node's request log says; its lines are written when the answer is out. */
function requestsIn(log: string): Request[] {
  return log.split('\n').flatMap((line) => {
    if (!line.includes('"msg":"request"')) return [];
    const { time, ms, method, path } = JSON.parse(line) as Record<string, string> & { ms: number };
    const ended = Date.parse(time ?? '');
    return [{ what: `${method} ${path}`, began: ended - ms, ended }];
  });
}
