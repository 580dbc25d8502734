/** Real ingresses for tests: real processes, ended after the test. */
import type { TestContext } from 'node:test';
import { createIngress, type Ingress, type IngressDeps, type IngressLog } from '../../../ingress/index.ts';
import { realClock, until, type Sandbox } from './sandbox.ts';

export interface Lines {
  log: IngressLog;
  /** Messages, with their fields. */
  lines: { message: string; fields: Record<string, unknown> }[];
}

export function collectLog(): Lines {
  const lines: Lines['lines'] = [];
  const add = (fields: object, message: string): void => void lines.push({ message, fields: { ...fields } });
  return { log: { info: add, warn: add }, lines };
}

export interface Settings extends Partial<IngressDeps> {
  workers?: number;
  log?: IngressLog;
  listen?: string[];
  listenTls?: string[];
}

export function makeIngress({ stateDir, runDir, port }: Sandbox, settings: Settings = {}): Ingress {
  const {
    workers = 1,
    log = collectLog().log,
    listen = [`127.0.0.1:${port}`],
    listenTls,
    ...deps
  } = settings;
  const options = { stateDir, runDir, listen, workers, log, ...(listenTls && { listenTls }) };
  return createIngress(options, { clock: realClock, ...deps });
}

export async function startIngress(
  t: Pick<TestContext, 'after'>,
  place: Sandbox,
  settings: Settings = {},
): Promise<Ingress> {
  const ingress = makeIngress(place, settings);
  t.after(() => ingress.close());
  await ingress.start();
  return ingress;
}

/** Publishes and waits until every worker serves it. */
export async function serve(ingress: Ingress, routes: Parameters<Ingress['publish']>[0]): Promise<number> {
  const revision = await ingress.publish(routes);
  await until(`revision ${revision} everywhere`, () => (ingress.applied()?.revision ?? 0) >= revision);
  return revision;
}
