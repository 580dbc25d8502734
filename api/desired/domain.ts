/** Domains of a service: attached, asked to be verified, taken away. Whether one is verified only its controller says. */
import { unverified } from '../../specs/domain.ts';
import { canonicalHostname, isWithin } from '../../specs/hostname.ts';
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import type { CreateDomain } from '../../specs/requests.ts';
import type { ApiContext, ApiSettings } from '../context.ts';
import type { Store, Writer } from '../store/store.ts';
import { invalid } from '../validation.ts';
import { livingService, requireVersion } from './living.ts';
import { requireProjectRoom } from './project-room.ts';

/** Each has an answer in the route set, verified or not. */
export const mostDomains = 100;

/** 256 bits, as in a token that opens something; this one only shows that the answer came from this node. */
const tokenBytes = 32;

type DomainDeps = Pick<ApiContext, 'store' | 'newId' | 'random' | 'settings'>;

/**
 * Throws `invalid` for what is no hostname or the node's own, `conflict` when the hostname is taken or the service is being
 * deleted, `too_large` when the service or its project has too many.
 */
export function createDomain(
  { store, newId, random, settings }: DomainDeps,
  serviceId: string,
  body: CreateDomain,
): Promise<Row<'Domain'>> {
  const hostname = attachable(body.hostname, settings);
  return store.write(async (writer) => {
    const service = await livingService(writer, serviceId);
    await requireFree(writer, hostname, service);
    await requireProjectRoom(writer, 'Domain', service.owner);
    const token = Buffer.from(random(tokenBytes)).toString('base64url');
    return writer.create('Domain', {
      ...{ id: newId('domain'), name: hostname, owner: service.id },
      spec: { hostname, service_id: service.id, project_id: service.owner, token, attempt: 0 },
      status: unverified,
    });
  });
}

/** Asks its controller for a verdict. Throws `conflict` when it or its service is being deleted, and `precondition_failed`. */
export function askToVerify(store: Store, id: string, ifVersion?: number): Promise<Row<'Domain'>> {
  return store.write(async (writer) => {
    const domain = await find(writer, id);
    await livingService(writer, domain.spec.service_id);
    if (domain.deleted_at !== null)
      throw new ProblemError('conflict', `The domain ${domain.name} is being deleted.`);
    return writer.updateSpec('Domain', id, (spec) => ({ ...spec, attempt: spec.attempt + 1 }), ifVersion);
  });
}

/** Its hostname is free at once. Throws `not_found` when it is gone, and `precondition_failed`. */
export function deleteDomain(store: Store, id: string, ifVersion?: number): Promise<Row<'Domain'>> {
  return store.write(async (writer) => {
    requireVersion(await find(writer, id), ifVersion);
    await writer.markDeleted('Domain', id);
    return find(writer, id);
  });
}

async function find(writer: Writer, id: string): Promise<Row<'Domain'>> {
  const row = await writer.get('Domain', id);
  if (!row) throw new ProblemError('not_found', 'There is no such domain.');
  return row;
}

/** The canonical spelling. Throws `invalid`. */
function attachable(text: string, { controlDomain, appsDomain }: ApiSettings): string {
  const result = canonicalHostname(text);
  const fault = 'fault' in result ? result.fault : ownedByNode(result.hostname, controlDomain, appsDomain);
  if ('fault' in result || fault !== undefined)
    throw invalid([{ path: '/hostname', message: fault ?? 'is no hostname' }]);
  return result.hostname;
}

function ownedByNode(hostname: string, control: string | null, apps: string | null): string | undefined {
  if (control === hostname) return "is the node's own control domain";
  if (apps !== null && isWithin(hostname, apps))
    return `lies in ${apps}, where the node names services itself: <service>.<project>.${apps}`;
  return undefined;
}

/** Several services may try for one hostname; the first to prove it has it. Whose it is, is not told. */
async function requireFree(writer: Writer, hostname: string, { id, name }: Row<'Service'>): Promise<void> {
  const living = (await writer.list('Domain', { name: hostname })).filter((row) => row.deleted_at === null);
  if (living.some(({ owner }) => owner === id))
    throw new ProblemError('conflict', `The service ${name} has the domain ${hostname} already.`);
  if (living.some(({ status }) => status.phase === 'Verified'))
    throw new ProblemError('conflict', `The hostname ${hostname} is held by another service of this node.`);
  const own = (await writer.list('Domain', { owner: id })).filter((row) => row.deleted_at === null);
  if (own.length >= mostDomains)
    throw new ProblemError('too_large', `A service has at most ${mostDomains} domains. Remove one first.`);
}
