/** Copies what a container printed from the engine into the log files: what is new of it, without secrets, once. */
import type { Clock } from '../../specs/clock.ts';
import type { WorkloadLogLine } from '../../specs/log-entry.ts';
import type { Masks } from '../../specs/mask.ts';
import type { Engine } from '../engine/engine.ts';
import { createBrake, type BrakeDeps } from './brake.ts';
import { costOf, type Floods } from './flood.ts';
import { holdLines } from './hold.ts';
import { isAfter } from './instant.ts';
import { createOmission } from './omission.ts';
import { pause } from './pause.ts';
import type { RunStart } from './runs.ts';
import type { LastLines, WorkloadLogs } from './workload-logs.ts';

export interface Followed {
  replica: string;
  container: string;
  projectId: string;
  serviceId: string;
  deploymentId: string;
  /** The run that it is in, where its runs are told apart. */
  run?: RunStart;
}

export interface CopyDeps {
  engine: Pick<Engine, 'replicaLogs'> & BrakeDeps['engine'];
  logs: Pick<WorkloadLogs, 'append' | 'begin' | 'flush' | 'lastAt'>;
  masks: Pick<Masks, 'held'>;
  floods: Floods;
  clock: Clock;
  log: BrakeDeps['log'];
}

export interface CopyOptions {
  follow: boolean;
  signal: AbortSignal;
  onLine?: () => void;
}

/** Milliseconds until it is said that lines are left out, and the last of them are kept. */
const noticeAfter = 2_000;
/** Characters that may wait for the disk before the engine has to. */
const unwritten = 2 ** 20;

/** Until the engine has no more. Resolves once it is all written. */
export async function copy(
  target: Followed,
  { follow, signal, onLine }: CopyOptions,
  { engine, logs, masks, floods, clock, log }: CopyDeps,
): Promise<void> {
  const { replica, container, projectId, serviceId, deploymentId } = target;
  logs.begin(target);
  const left = await logs.lastAt(serviceId, deploymentId, replica);
  const isNew = newerThan(left);
  const gate = floods.open();
  const brake = createBrake(container, gate, { engine, clock, log });
  const omission = createOmission();
  let cancelNotice: (() => void) | undefined;
  const keepOmitted = (): void => {
    cancelNotice?.();
    cancelNotice = undefined;
    for (const line of omission.take()) logs.append(serviceId, deploymentId, line);
  };
  const omit = (line: WorkloadLogLine): void => {
    omission.add(line);
    // Who waits for the next line may wait for long: a flood that has stopped was not the last word about itself.
    cancelNotice ??= clock.after(noticeAfter, keepOmitted);
  };
  let waiting = 0;
  const hold = holdLines<Omit<WorkloadLogLine, 'line'> | undefined>(
    masks.held(projectId),
    clock,
    (line, kept) => {
      if (!kept) return;
      const cost = costOf(line);
      if (gate.keeps(cost)) {
        keepOmitted();
        logs.append(serviceId, deploymentId, { ...kept, line });
        waiting += cost;
      } else omit({ ...kept, line });
    },
  );
  const options = { follow, signal, ...(left === undefined ? {} : { since: left.lead }) };
  try {
    for await (const { at, stream, line } of engine.replicaLogs(container, options)) {
      const isKept = isNew(at);
      // Also what is not kept: a value may go on in the next line, and what was kept before is there as it was printed only here.
      hold.push(stream, line, isKept ? { at, replica, stream } : undefined);
      if (!isKept) continue;
      onLine?.();
      if (waiting >= unwritten) {
        await logs.flush(serviceId);
        waiting = 0;
      }
      const ms = gate.read(costOf(line));
      if (gate.isFlooding() && follow) brake.hold();
      // What a container printed last is read to its end: the engine holds no more than a little.
      if (ms > 0 && follow) await pause(ms, signal, clock);
    }
  } finally {
    hold.flush();
    await brake.release();
    gate.close();
    keepOmitted();
    await logs.flush(serviceId);
  }
}

/** The engine's `since` is inclusive, and several lines may have one time: those that are kept come first, as they did then. */
function newerThan(left: LastLines | undefined): (at: string) => boolean {
  let known = left?.count ?? 0;
  return (at) => {
    if (left === undefined || isAfter(at, left.at)) return true;
    if (isAfter(left.at, at)) return false;
    return known-- <= 0;
  };
}
