/** JSON is the only body that routes take, unless they say otherwise. An empty body counts as an empty object. */
import type { App } from '../context.ts';

export function jsonBodies(app: App): void {
  app.removeAllContentTypeParsers();
  // `__proto__` and `constructor.prototype` are refused, not dropped.
  const parse = app.getDefaultJsonParser('error', 'error');
  app.addContentTypeParser<string>('application/json', { parseAs: 'string' }, (request, text, done) => {
    if (text === '') done(null, undefined);
    else void parse(request, text, done);
  });
  app.addHook('preValidation', (request, _reply, done) => {
    if (request.body === undefined && request.routeOptions.schema?.body !== undefined) request.body = {};
    done();
  });
}
