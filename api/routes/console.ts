/** The console of a service: a ticket for who may, and the WebSocket that it opens. */
import { Type } from '@sinclair/typebox';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ConsoleTicket, OpenConsole } from '../../specs/console.ts';
import { timestamp } from '../../specs/meta.ts';
import { ProblemError } from '../../specs/problem.ts';
import { checkRole } from '../auth/access.ts';
import type { Principal } from '../auth/principal.ts';
import { roleIn, serviceInPath, serviceOf } from '../auth/scope.ts';
import { holdConsole, type Grant } from '../console/console.ts';
import { createOpenConsoles } from '../console/open-consoles.ts';
import { readyReplica, replicaOf } from '../console/replica.ts';
import { createTickets, ticketLifetimeMs } from '../console/tickets.ts';
import { requireHandshake, serveUpgrades } from '../console/upgrade.ts';
import type { ApiContext, App } from '../context.ts';
import { livingService } from '../desired/living.ts';
import type { NoteInAudit } from '../plugins/audit.ts';

const params = Type.Object({ id: Type.String() });
const operator = { role: 'Operator', of: serviceInPath } as const;

const mint = {
  operationId: 'createConsoleTicket',
  description:
    'The ticket opens the console of this service once, within 30 seconds, with the rights that its holder has then.',
  ...{ params, body: OpenConsole, response: { 200: ConsoleTicket } },
  problems: ['rate_limited'] as const,
};

const socket = {
  operationId: 'openConsole',
  description: [
    'A WebSocket (RFC 6455). Binary frames are bytes either way. Text frames are JSON: {"resize": {"cols", "rows"}} from the',
    'client; {"exit": code} from the server, after which it closes with 1000. Without a terminal also {"eof": true} from the',
    'client, which ends the input, and {"stderr": "<base64>"} from the server. A console ends with the right to it (close',
    'code 4403), after 30 minutes without a byte (4408), and with what it runs in (4410).',
  ].join(' '),
  params,
  // Not required: without one the answer is 401, as with one that is no good.
  querystring: Type.Object({ ticket: Type.Optional(Type.String()) }, { additionalProperties: false }),
  response: { 101: Type.Null() },
  problems: ['conflict', 'rate_limited', 'forbidden'] as const,
};

export function consoleRoutes(app: App, api: ApiContext, note: NoteInAudit): void {
  const { store, clock, random } = api;
  const tickets = createTickets<Grant>(clock, random);
  const consoles = createOpenConsoles();
  serveUpgrades(app.server, app);
  // What the signal of api.stopping ends is given the time for it.
  app.addHook('onClose', () => consoles.empty());

  app.post(
    '/v1/services/:id/console/tickets',
    { config: { access: operator }, schema: mint },
    async (request): Promise<ConsoleTicket> => {
      const service = await livingService(store, serviceOf(request).id);
      const { replica, command = ['sh'], tty = true, size } = request.body;
      const { id } =
        replica === undefined ? await readyReplica(store, service) : await replicaOf(store, service, replica);
      const { authorizeAgain } = request;
      if (!authorizeAgain) throw new Error('The access that this route declares asks for no token.');
      const terminal = { command, tty, ...(size && { size }) };
      const grant = { serviceId: service.id, replicaId: id, request: terminal, authorize: authorizeAgain };
      const expires_at = timestamp(clock.now() + ticketLifetimeMs);
      return { ticket: tickets.mint(grant), expires_at };
    },
  );

  app.get(
    '/v1/services/:id/console/ws',
    { config: { access: 'ticket', audited: true }, exposeHeadRoute: false, schema: socket },
    async (request, reply) => {
      const { ticket } = request.query;
      if (ticket === undefined) throw noTicket();
      requireHandshake(request);
      const grant = tickets.redeem(ticket, request.params.id);
      if (!grant) throw noTicket();
      // Who has made it may be somebody else by now.
      const principal = await grant.authorize();
      await comeIn(request, principal, api);
      const { leave } = consoles.enter(grant.serviceId);
      try {
        await holdConsole({ request, grant, principal, api, note, accepted: () => hijack(reply) });
      } finally {
        leave();
      }
    },
  );
}

/** From here on the request is the principal's, and about the service. */
async function comeIn(request: FastifyRequest, principal: Principal, { store }: ApiContext): Promise<void> {
  request.principal = principal;
  const isMember = (projectId: string) => roleIn(principal, projectId) !== undefined;
  const scope = await serviceInPath.find(request, store, isMember);
  checkRole(principal, operator, scope);
  request.scope = scope;
}

function hijack(reply: FastifyReply): void {
  reply.hijack();
}

/** The same for every ticket that is no good, so that nothing can be learned by trying. */
function noTicket(): ProblemError {
  return new ProblemError(
    'unauthenticated',
    'This takes a ticket that was not used yet: POST /v1/services/{id}/console/tickets gives one for 30 seconds.',
  );
}
