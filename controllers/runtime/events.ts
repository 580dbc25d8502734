/** Notes what controllers did, for people: masked, in order, and without anybody waiting for it. */
import type { Events } from '../../api/store/events.ts';
import type { EventRecorder } from '../../specs/event.ts';
import type { Masks } from '../../specs/mask.ts';
import type { Log } from './log.ts';

export interface RecorderDeps {
  events: Pick<Events, 'append'>;
  /** Hide a project's secrets: messages quote workloads and the engine. */
  masks: Pick<Masks, 'text'>;
  log: Pick<Log, 'warn'>;
}

export function createRecorder({ events, masks, log }: RecorderDeps): EventRecorder {
  return {
    record(event) {
      const message = masks.text(event.project_id, event.message);
      events.append({ ...event, message }).catch((err: unknown) => {
        log.warn({ err, reason: event.reason, object: event.object }, 'an event could not be noted');
      });
    },
  };
}
