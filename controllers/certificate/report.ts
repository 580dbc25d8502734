/** Tells people how an order ended: the operator in the node's log, the project in its events. */
import type { EventRecorder, NewEvent } from '../../specs/event.ts';
import type { Row } from '../../specs/index.ts';
import type { Log } from '../runtime/log.ts';
import type { Step } from './steps.ts';

export interface ReportDeps {
  log: Log;
  events: EventRecorder;
}

/** @param row as it was before the step */
export function report(step: Step, row: Row<'Certificate'>, { log, events }: ReportDeps): void {
  const event = step.do === 'take' ? issued(row) : step.do === 'giveUp' ? failed(row, step.order) : undefined;
  if (event === undefined) return;
  const { hostname, domain_id: domainId, service_id: serviceId, project_id: projectId } = row.spec;
  log[event.type === 'Normal' ? 'info' : 'warn']({ hostname }, event.message);
  // The control domain is of no project.
  if (projectId === null || serviceId === null) return;
  const object =
    domainId === null ? { kind: 'Service', object: serviceId } : { kind: 'Domain', object: domainId };
  events.record({ ...event, ...object, name: hostname, service_id: serviceId, project_id: projectId });
}

type Words = Pick<NewEvent, 'type' | 'reason' | 'message'>;

function issued({ status }: Row<'Certificate'>): Words {
  const message = status.chain === null ? 'A certificate was issued.' : 'The certificate was renewed.';
  return { type: 'Normal', reason: 'Issued', message };
}

function failed({ status }: Row<'Certificate'>, order: Row<'Order'>): Words {
  const why = order.status.last_error ?? 'The order failed.';
  const message =
    status.chain === null
      ? `No certificate could be had. ${why}`
      : `The certificate could not be renewed; it is served on. ${why}`;
  return { type: 'Warning', reason: 'OrderFailed', message };
}
