/**
 * Every write and every refused write has an audit entry before its answer leaves: on the disk for what was done, in order
 * with all else for what was refused. An audit that cannot be written does not undo a write: it is logged as an error.
 */
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditEntry } from '../../specs/audit.ts';
import { timestamp } from '../../specs/meta.ts';
import { auditEntry } from '../audit/entry.ts';
import { floodGate } from '../audit/flood-gate.ts';
import type { ApiContext, App } from '../context.ts';

const writes: ReadonlySet<string> = new Set(['POST', 'PUT', 'PATCH', 'DELETE']);

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a GET that does what a write does. */
    audited?: true;
  }
  interface FastifyRequest {
    /** Whom a request without a token is about, once that is known: the user who logs in or fails to. */
    auditedUser: { id: string; username: string } | null;
    /** Own name of the object, where neither the scope nor the answer has it: of a user or token that is deleted. */
    auditedName: string | null;
  }
}

/** Adds an entry for what has no answer of its own that could be audited: what becomes of a connection. */
export type NoteInAudit = (request: FastifyRequest, status: number, detail: string) => Promise<void>;

export function auditTrail(app: App, { audit, clock, newId, logger }: ApiContext): NoteInAudit {
  const append = async (entry: AuditEntry) => {
    try {
      await audit.append(entry, { lazy: entry.status >= 400 });
    } catch (error) {
      // There is no secret in an entry, and this line is now its only trace.
      logger.error({ err: error, audit: entry }, 'an audit entry was not written');
    }
  };
  const gate = floodGate(clock, (entry) => void append(entry));
  const identity = () => ({ id: newId('audit'), at: timestamp(clock.now()) });

  app.decorateRequest('auditedUser', null);
  app.decorateRequest('auditedName', null);
  app.addHook('onSend', async (request: FastifyRequest, reply: FastifyReply, payload) => {
    if (writes.has(request.method) || request.routeOptions.config.audited) {
      const entry = auditEntry(request, { status: reply.statusCode, payload }, identity());
      if (entry.status < 400 || gate.admits(whoseRefusal(request), entry)) await append(entry);
    }
    return payload;
  });
  app.addHook('onClose', async () => {
    for (const rest of gate.flush()) await append(rest);
  });
  return (request, status, detail) =>
    append(auditEntry(request, { status, payload: undefined, detail }, identity()));
}

/** By user, not by token: whoever may mint tokens is no more for it. */
function whoseRefusal({ principal }: FastifyRequest): string {
  return principal === null ? 'strangers' : (principal.user?.id ?? 'bootstrap');
}
