/**
 * What workloads printed, kept beyond their containers: by service, in files per replica. Bounded per service in bytes and
 * in age; what replicas that have ended printed goes first (bound.ts).
 */
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { WorkloadLogLine } from '../../specs/log-entry.ts';
import { leadLines } from '../../specs/mask.ts';
import type { Line } from './lines.ts';
import { listeners } from './listeners.ts';
import { openServices, type OpenServices, type OpenServicesOptions } from './open-services.ts';
import type { RunStart } from './runs.ts';
import { printedIn, selectLines, type WorkloadLogItem, type WorkloadLogQuery } from './select.ts';
import { foldersIn } from './service-log.ts';

export interface LastLines {
  /** The engine's time of the last line. */
  at: string;
  /** How many of the last lines have that time. */
  count: number;
  /** The engine's time of a line some way before, to begin to read from. */
  lead: string;
}

/** Whose output it is. */
export interface Origin {
  serviceId: string;
  deploymentId: string;
  replica: string;
  /** The run that it is in, if that is known. */
  run?: RunStart;
}

export interface WorkloadLogs {
  /**
   * In the order in which it was printed, also beside other replicas of the service; written in the background. What cannot be
   * written is reported to the node's log, and to flush().
   */
  append: (serviceId: string, deploymentId: string, line: WorkloadLogLine) => void;
  /** The replica is followed from now on, or goes on with another run. */
  begin: (origin: Origin) => void;
  /** It is not followed any more. */
  end: (origin: Origin) => void;
  /** Resolves when everything appended before can be read. Rejects with what kept it from being written. */
  flush: (serviceId: string) => Promise<void>;
  /** Lines of all replicas of a service, oldest first, up to the end of what is there. */
  read: (serviceId: string, query: WorkloadLogQuery) => AsyncIterable<WorkloadLogItem>;
  /** Number of the last line that can be read; 0 without any. */
  lastSeq: (serviceId: string) => Promise<number>;
  /** Of which replicas something is kept. */
  replicas: (serviceId: string) => Promise<{ replica: string; deployment: string }[]>;
  /** Calls back after lines of a service were written. @returns unsubscribe */
  onAppend: (serviceId: string, listener: () => void) => () => void;
  /** Where the output of a replica was left; undefined when none of it is kept. */
  lastAt: (serviceId: string, deploymentId: string, replica: string) => Promise<LastLines | undefined>;
  remove: (serviceId: string, deploymentId: string) => Promise<void>;
  /** Removes what is kept of a service; nothing of it is written any more. */
  removeAll: (serviceId: string) => Promise<void>;
  /** Drops what is too old, of every service. */
  sweep: () => Promise<void>;
  /** Writes what waits. */
  close: () => Promise<void>;
}

export async function openWorkloadLogs(options: OpenServicesOptions): Promise<WorkloadLogs> {
  const { dir } = options;
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const waiting = listeners();
  const services = openServices(options, (id) => waiting.call(id));
  return {
    ...writing(services),
    ...reading(services),
    ...removing(services, dir),
    onAppend: (id, listener) => waiting.add(id, listener),
    close: () => services.close(),
  };
}

function writing(services: OpenServices): Pick<WorkloadLogs, 'append' | 'begin' | 'end' | 'flush'> {
  return {
    append: (id, deployment, line) => {
      const { at, replica } = line;
      services.of(id).reorder.push({ at, source: replica, deployment, replica, kept: line });
    },
    begin({ serviceId, deploymentId: deployment, replica, run }) {
      const { live, reorder } = services.of(serviceId);
      const known = live.get(replica);
      live.set(replica, run?.run ?? known);
      if (!run || run.run === known) return;
      reorder.push({ at: run.from, source: replica, deployment, replica, kept: run });
    },
    end: ({ serviceId, replica }) => void services.find(serviceId)?.live.delete(replica),
    async flush(id) {
      services.find(id)?.reorder.flush();
      await services.find(id)?.batcher.flush();
    },
  };
}

function reading(services: OpenServices): Pick<WorkloadLogs, 'read' | 'lastSeq' | 'replicas' | 'lastAt'> {
  return {
    async *read(id, query) {
      const { logs, readable } = await services.settled(id);
      yield* selectLines([...logs.values()], readable, query);
    },
    lastSeq: async (id) => (await services.settled(id)).readable,
    replicas: async (id) =>
      [...(await services.settled(id)).logs.values()].map(({ replica, deployment }) => ({
        replica,
        deployment,
      })),
    async lastAt(id, _deployment, replica) {
      const own = (await services.settled(id)).logs.get(replica);
      return own && lastOf(own.segments.backward());
    },
  };
}

function removing(services: OpenServices, dir: string): Pick<WorkloadLogs, 'remove' | 'removeAll' | 'sweep'> {
  return {
    async remove(id, deploymentId) {
      services.of(id).reorder.flush();
      await (await services.settled(id)).removeDeployment(deploymentId);
    },
    async removeAll(id) {
      await services.forget(id);
      await rm(join(dir, id), { recursive: true, force: true });
    },
    async sweep() {
      for (const id of await foldersIn(dir)) {
        services.of(id).batcher.push('trim');
        await services.settled(id);
      }
    },
  };
}

async function lastOf(lines: AsyncIterable<Line>): Promise<LastLines | undefined> {
  let found: LastLines | undefined;
  let own = 0;
  for await (const line of lines) {
    const { at } = printedIn(line).line;
    found ??= { at, count: 0, lead: at };
    if (at === found.at && found.count === own) found.count += 1;
    found.lead = at;
    if (++own >= leadLines) break;
  }
  return found;
}
