/** What a service's schema cannot say: rules between fields, and bounds of durations and amounts. Pure. */
import { durationMs } from '../../specs/duration.ts';
import type { Violation } from '../../specs/problem.ts';
import { quantityBytes } from '../../specs/quantity.ts';
import type { CreateService, UpdateService } from '../../specs/requests.ts';
import type { ServiceSpec } from '../../specs/service.ts';
import { pointerToken } from '../validation.ts';
import { mountViolations, type Host } from './validate-mounts.ts';
import { nameFault, valueFault } from './variable.ts';

const day = 86_400_000;

/** What an engine accepts at least. */
const leastMemory = 6 * 2 ** 20;
const leastCpus = 0.01;

/**
 * @param spec what the service would be
 * @param body what the client sent: violations are pointers into it
 */
export function serviceViolations(
  spec: ServiceSpec,
  body: CreateService | UpdateService,
  host: Host,
): Violation[] {
  const { health, release, resources } = spec;
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
    ...Object.entries(body.env ?? {}).flatMap(([name, value]) => variableViolations(name, value, spec, body)),
    ...mountViolations(body.volumes ?? [], host),
    ...(body.secrets ?? []).flatMap((name, index) => secretViolations(name, index, spec)),
    ...(body.health_path !== undefined && health.path !== body.health_path
      ? [{ path: '/health_path', message: 'is short for health.path; they must not differ' }]
      : []),
  ];
}

/** Timers overflow after 24 days; nothing here makes sense beyond one. */
function durationViolations(path: string, text: string, least: number): Violation[] {
  const ms = durationMs(text);
  if (ms < least) return [{ path, message: `must be at least ${least}ms` }];
  return ms > day ? [{ path, message: 'must be at most 24h' }] : [];
}

/** @param value null where a patch takes the variable away */
function variableViolations(
  name: string,
  value: string | null,
  { secrets }: ServiceSpec,
  body: CreateService | UpdateService,
): Violation[] {
  if (value === null) return [];
  const path = `/env/${pointerToken(name)}`;
  // Where both came at once, it is said of the secret.
  const clashes = body.secrets === undefined && Object.hasOwn(secrets, name);
  const message =
    nameFault(name) ??
    valueFault(value) ??
    (clashes ? 'is a secret of this service: set its value as one, or take it out of secrets' : undefined);
  return message === undefined ? [] : [{ path, message }];
}

function secretViolations(name: string, index: number, { env }: ServiceSpec): Violation[] {
  const message =
    nameFault(name) ??
    (Object.hasOwn(env, name) ? 'is a plain variable too: take it out of env, or out of secrets' : undefined);
  return message === undefined ? [] : [{ path: `/secrets/${index}`, message }];
}
