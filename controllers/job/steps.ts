/** The effects of a job's plan. Each is idempotent: a pass that is cut off anywhere is mended by the next. */
import { frozenRun } from '../../specs/frozen-run.ts';
import type { Clock, Random } from '../../specs/clock.ts';
import type { Row } from '../../specs/index.ts';
import { runAskedFor } from '../../specs/job.ts';
import { newId } from '../../specs/meta.ts';
import type { Store, Writer } from '../../api/store/store.ts';
import type { Engine } from '../engine/engine.ts';
import { jobImageTag } from '../engine/names.ts';
import { observe } from './observe.ts';

export type Step =
  /** Runs it for a time of its schedule, and asks those that it replaces to stop. */
  | { do: 'run'; at: string; replaced: string[] }
  /** Lets its schedule pass up to this time. */
  | { do: 'skip'; at: string }
  | { do: 'deleteRuns'; ids: string[] }
  /** Gives up the image that it keeps for itself. */
  | { do: 'removeImage' }
  | { do: 'purge' };

export interface StepDeps {
  store: Store;
  engine: Pick<Engine, 'removeImage'>;
  clock: Clock;
  random: Random;
}

export async function apply(step: Step, row: Row<'Job'>, deps: StepDeps): Promise<void> {
  const { store } = deps;
  switch (step.do) {
    case 'run':
      return store.write((writer) => run(step, row, writer, deps));
    case 'skip':
      return store.write(async (writer) => {
        if (await isUnseen(row, writer))
          await writer.patchStatus('Job', row.id, row.generation, { scheduled_at: step.at });
      });
    case 'deleteRuns':
      return store.write(async (writer) => {
        for (const id of step.ids) await writer.markDeleted('Run', id);
      });
    case 'removeImage':
      return deps.engine.removeImage(jobImageTag(row.id));
    case 'purge':
      return store.write(async (writer) => {
        if ((await writer.list('Run', { owner: row.id, limit: 1 })).length === 0)
          await writer.purge('Job', row.id);
      });
  }
}

/** The run and the time that it is for, in one transaction: neither a crash nor a second pass makes another one. */
async function run(
  { at, replaced }: Extract<Step, { do: 'run' }>,
  row: Row<'Job'>,
  writer: Writer,
  { clock, random }: StepDeps,
): Promise<void> {
  if (!(await isUnseen(row, writer))) return;
  const { deployment } = await observe(row, writer);
  const spec = frozenRun(row, deployment, { trigger: 'schedule', scheduled_for: at });
  if (!spec) return;
  await writer.patchStatus('Job', row.id, row.generation, { scheduled_at: at });
  // Of a clock that was set back: the time came before, and was kept.
  if (await writer.find('Run', row.id, at)) return;
  for (const id of replaced) await writer.updateSpec('Run', id, (before) => ({ ...before, stopped: true }));
  const id = newId('run', clock.now(), random(10));
  await writer.create('Run', { id, name: at, owner: row.id, spec, status: runAskedFor });
}

/** Whether it still is as it was observed: nobody has changed it, nor seen to this time. */
async function isUnseen(row: Row<'Job'>, writer: Writer): Promise<boolean> {
  const now = await writer.get('Job', row.id);
  return now?.generation === row.generation && now.status.scheduled_at === row.status.scheduled_at;
}
