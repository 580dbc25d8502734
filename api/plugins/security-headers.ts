/**
 * What every answer says to browsers, though the API is not made for them: nothing of it may be shown, sniffed, framed,
 * embedded or kept (OWASP REST Security Cheat Sheet, "Security Headers"). There are no cookies and no
 * Access-Control-* header, so no page of another origin reads an answer.
 */
import type { App } from '../context.ts';

/** Also on what is answered before there is a route: see problem.ts. */
export const securityHeaders = {
  'cache-control': 'no-store',
  'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
} as const;

export function secureAnswers(app: App): void {
  app.addHook('onRequest', (_request, reply, done) => {
    void reply.headers(securityHeaders);
    done();
  });
}
