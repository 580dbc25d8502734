/** Members of a project and their roles, in the hands of its Admins. */
import { Type } from '@sinclair/typebox';
import { Member, PutMember } from '../../specs/account.ts';
import { timestamp } from '../../specs/meta.ts';
import { ProblemError } from '../../specs/problem.ts';
import { Page } from '../../specs/resources.ts';
import { projectInPath, projectOf } from '../auth/scope.ts';
import { findUser } from '../auth/users.ts';
import type { ApiContext, App } from '../context.ts';
import { pageQuery, readPage } from '../paging.ts';
import { memberView } from '../views/account.ts';

const config = { access: { role: 'Admin', of: projectInPath }, unversioned: true } as const;
const project = { id: Type.String({ description: "the project's id or name" }) };
const member = { ...project, username: Type.String({ description: "the user's id or username" }) };
const querystring = Type.Object(pageQuery, { additionalProperties: false });

export function memberRoutes(app: App, { accounts, clock }: ApiContext): void {
  app.get(
    '/v1/projects/:id/members',
    {
      config,
      schema: {
        operationId: 'listMembers',
        params: Type.Object(project),
        querystring,
        response: { 200: Page(Member) },
      },
    },
    async (request) => {
      const there = projectOf(request);
      const { rows, next_cursor } = await readPage(async (page) => {
        const members = await accounts.listMembers(there.id, page);
        return members.map((row) => ({ ...row, id: row.user_id }));
      }, request.query);
      return { items: rows.map((row) => memberView(row, row.username, there)), next_cursor };
    },
  );

  app.put(
    '/v1/projects/:id/members/:username',
    {
      config,
      schema: {
        operationId: 'putMember',
        params: Type.Object(member),
        body: PutMember,
        response: { 200: Member, 201: Member },
      },
    },
    async (request, reply) => {
      const there = projectOf(request);
      if (there.deleted_at !== null) throw new ProblemError('conflict', 'The project is being deleted.');
      const user = await findUser(accounts, request.params.username);
      const at = timestamp(clock.now());
      const wanted = { project_id: there.id, user_id: user.id, role: request.body.role, at };
      const { member, created } = await accounts.putMember(wanted);
      return reply.code(created ? 201 : 200).send(memberView(member, user.username, there));
    },
  );

  app.delete(
    '/v1/projects/:id/members/:username',
    {
      config,
      schema: { operationId: 'removeMember', params: Type.Object(member), response: { 204: Type.Null() } },
    },
    async (request, reply) => {
      const user = await findUser(accounts, request.params.username);
      request.auditedName = user.username;
      await accounts.removeMember(projectOf(request).id, user.id);
      return reply.code(204).send(null);
    },
  );
}
