/** What became of requests while a deployment took over, in words. Pure. */
import type { Receipt } from '../../specs/deployment.ts';
import type { DeploymentResource } from '../../specs/resources.ts';
import { elapsed, lasted } from '../output/age.ts';
import { grouped } from '../output/grouped.ts';

/** `0 failed of 1,234 requests`. */
export function receiptLine({ served_old: old, served_new: own, failed, aborted }: Receipt): string {
  return `${grouped(failed + aborted)} failed of ${grouped(old + own + failed)} requests`;
}

/** `watched for another 58s`; undefined when it is not. */
export function watchLine({ watched_until: until }: DeploymentResource, now: number): string | undefined {
  const left = until === null ? 0 : Math.ceil((Date.parse(until) - now) / 1_000);
  return left > 0 ? `watched for another ${lasted(left)}` : undefined;
}

const wait = (ms: number): string => (ms < 1_000 ? `${ms} ms` : elapsed(ms));

/** All of it. */
export function receiptFacts(receipt: Receipt): string {
  const { served_old: old, served_new: own, failed, aborted, parked, finished_at: end } = receipt;
  return [
    `${grouped(own)} requests served by it, ${grouped(old)} by the replicas before${end === null ? ' (so far)' : ''}`,
    `${grouped(failed)} failed, ${grouped(aborted)} cut at the end of the drain`,
    `longest wait ${wait(receipt.longest_wait_ms)}`,
    ...(parked === 0
      ? []
      : [`${grouped(parked)} waited at the ingress, the longest ${wait(receipt.parked_longest_ms)}`]),
  ].join('\n');
}
