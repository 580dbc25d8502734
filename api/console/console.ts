/** One console from its ticket to its end: the command is started, then the handshake accepted, then bytes go either way. */
import type { FastifyRequest } from 'fastify';
import type { Row } from '../../specs/index.ts';
import { ProblemError } from '../../specs/problem.ts';
import { watchAccess } from '../auth/access-watch.ts';
import { expiryOf, type Principal } from '../auth/principal.ts';
import type { ApiContext } from '../context.ts';
import { livingService } from '../desired/living.ts';
import type { NoteInAudit } from '../plugins/audit.ts';
import type { ConsoleProcess, ConsoleRequest } from '../ports.ts';
import { watchForEnd } from './open-consoles.ts';
import { replicaOf } from './replica.ts';
import { runSession, type ConsoleEnd } from './session.ts';
import { acceptHandshake } from './upgrade.ts';

/** What a ticket stands for. */
export interface Grant {
  serviceId: string;
  replicaId: string;
  request: ConsoleRequest;
  /** Whether its holder still may, and who that is. Throws the problem when not. */
  authorize: () => Promise<Principal>;
}

interface Opening {
  /** The handshake; its principal and scope are known. */
  request: FastifyRequest;
  grant: Grant;
  principal: Principal;
  api: ApiContext;
  note: NoteInAudit;
  /** From here on nothing more can be answered. */
  accepted: () => void;
}

/** How much of a command an audit entry holds. */
const mostOfCommand = 1_000;

/** Resolves when the console has ended. Throws what is to be answered instead of 101. */
export async function holdConsole({
  request,
  grant,
  principal,
  api,
  note,
  accepted,
}: Opening): Promise<void> {
  const { store, accounts, clock, stopping } = api;
  const userId = principal.user?.id ?? null;
  const expiresAt = expiryOf(principal);
  const access = watchAccess({ accounts, clock, userId, expiresAt, authorize: grant.authorize });
  const ends = watchForEnd(store, grant.serviceId, { stopping, access: access.signal });
  try {
    // Begun to watch before it was looked at, so that nothing goes away unseen in between.
    const service = await livingService(store, grant.serviceId);
    const process = await open(api, service, grant);
    await note(request, 101, beginning(api, service, grant));
    accepted();
    const started = clock.now();
    const end = await run(request, process, { grant, api, ending: ends.signal });
    await note(request, 101, ending(end, clock.now() - started));
  } finally {
    ends.stop();
    access.stop();
  }
}

async function open({ console, store }: ApiContext, service: Row<'Service'>, grant: Grant) {
  const { container } = await replicaOf(store, service, grant.replicaId);
  return console.open(container, grant.request);
}

/** Never rejects: there is nobody left to tell. */
async function run(
  request: FastifyRequest,
  process: ConsoleProcess,
  { grant, api, ending }: { grant: Grant; api: ApiContext; ending: AbortSignal },
): Promise<ConsoleEnd> {
  const onResizeFailed = (err: unknown) => request.log.debug({ err }, 'a console was not resized');
  const { tty } = grant.request;
  try {
    const socket = await acceptHandshake(request);
    const { id: user, username } = request.principal?.user ?? {};
    request.log.info(
      { service: grant.serviceId, replica: grant.replicaId, user, username },
      'console opened',
    );
    return await runSession({ socket, process, tty, clock: api.clock, ending, onResizeFailed });
  } catch (err) {
    request.log.warn({ err }, 'a console broke off');
    await process
      .close()
      .catch((error: unknown) =>
        request.log.error({ err: error }, 'the command of a console could not be ended'),
      );
    const reason = err instanceof ProblemError ? err.message : 'It broke off.';
    return { closed: null, reason, exit: null };
  }
}

/** The command is what the audit is for; what is known to be secret in it is hidden all the same. */
function beginning({ masks }: ApiContext, { owner }: Row<'Service'>, { replicaId, request }: Grant): string {
  const command = masks.text(owner ?? '', JSON.stringify(request.command));
  const cut = command.length > mostOfCommand ? `${command.slice(0, mostOfCommand)}…` : command;
  return `opened ${request.tty ? 'with a terminal' : 'without a terminal'} in ${replicaId}: ${cut}`;
}

function ending({ exit, reason }: ConsoleEnd, ms: number): string {
  const how = exit === null ? reason : `exit code ${exit}`;
  return `ended after ${Math.round(ms / 1000)} s: ${how}`;
}
