/** Who is asking. */
import { Me } from '../../specs/account.ts';
import type { App } from '../context.ts';
import { principalOf } from '../auth/principal.ts';
import { userView } from '../views/account.ts';

export function meRoutes(app: App): void {
  app.get('/v1/me', { config: { access: 'any' }, schema: { response: { 200: Me } } }, (request) => {
    const { kind, user, superAdmin } = principalOf(request);
    return { kind, user: user && userView(user), super_admin: superAdmin };
  });
}
