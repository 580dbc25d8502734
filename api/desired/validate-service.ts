/** What a service's schema cannot say: rules between fields, and bounds of durations and amounts. Pure. */
import { durationMs } from '../../specs/duration.ts';
import type { Violation } from '../../specs/problem.ts';
import { quantityBytes } from '../../specs/quantity.ts';
import type { ServiceSpec } from '../../specs/service.ts';
import { pointerToken } from '../validation.ts';

const day = 86_400_000;

/** What an engine accepts at least. */
const leastMemory = 6 * 2 ** 20;
const leastCpus = 0.01;

/** @returns every violation, with pointers into the body that made the spec */
export function serviceViolations({ health, release, resources, env }: ServiceSpec): Violation[] {
  return [
    ...durationViolations('/health/interval', health.interval, 10),
    ...durationViolations('/health/timeout', health.timeout, 10),
    ...durationViolations('/health/deadline', health.deadline, 10),
    ...durationViolations('/release/drain', release.drain, 0),
    ...(quantityBytes(resources.memory) < leastMemory
      ? [{ path: '/resources/memory', message: 'must be at least 6Mi' }]
      : []),
    ...(resources.cpus < leastCpus
      ? [{ path: '/resources/cpus', message: `must be at least ${leastCpus}` }]
      : []),
    ...Object.entries(env).flatMap(([name, value]) => environmentViolations(name, value)),
  ];
}

/** Timers overflow after 24 days; nothing here makes sense beyond one. */
function durationViolations(path: string, text: string, least: number): Violation[] {
  const ms = durationMs(text);
  if (ms < least) return [{ path, message: `must be at least ${least}ms` }];
  return ms > day ? [{ path, message: 'must be at most 24h' }] : [];
}

function environmentViolations(name: string, value: string): Violation[] {
  const path = `/env/${pointerToken(name)}`;
  if (name === 'PORT' || name.startsWith('SVC_')) return [{ path, message: 'is set by svc itself' }];
  if (name.length > 256) return [{ path, message: 'has a name of more than 256 characters' }];
  return value.includes('\0') ? [{ path, message: 'must not contain a null character' }] : [];
}
