/**
 * What the object of an entry was called when it was written, as people know it: `shop`, `shop/web`, `shop/web/3` for a deployment,
 * `shop/ghcr.io` for a registry, `ann` for a user. An id tells nobody anything once the thing is gone.
 */
import type { FastifyRequest } from 'fastify';
import type { Scope } from '../auth/scope.ts';

/** The fields of an answer that may say what was written, or the part of them that is there. */
export interface Answered {
  id?: unknown;
  name?: unknown;
  hostname?: unknown;
  server?: unknown;
  username?: unknown;
  number?: unknown;
}

/** @returns null where nothing is named: for what was refused before it was found */
export function objectName(
  { scope, auditedName }: Pick<FastifyRequest, 'scope' | 'auditedName'>,
  answered: Answered,
): string | null {
  const path = pathOf(scope);
  const isInScope = Object.values(scope ?? {}).some(({ id }: { id: string }) => id === answered.id);
  const own = auditedName ?? (isInScope ? undefined : nameOf(answered));
  return [...path, ...(own === undefined ? [] : [own])].join('/') || null;
}

function pathOf(scope: Scope | null): string[] {
  if (scope === null) return [];
  const { project, service, deployment, registry, knownHost, job, domain, volume } = scope;
  const inner = [service, job, registry, knownHost, domain, volume].flatMap((row) => row?.name ?? []);
  return [project.name, ...inner, ...(deployment ? [String(deployment.spec.number)] : [])];
}

/** A registry is known by its server, not by who logs in there. */
function nameOf({ name, hostname, server, username, number }: Answered): string | undefined {
  const found = [name, hostname, server, username].find((value) => typeof value === 'string');
  return found ?? (typeof number === 'number' ? String(number) : undefined);
}
