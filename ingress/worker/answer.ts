/** Answers a request in the ingress's own name. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { htmlPage, problemPage, type PageName } from './pages.ts';

/** After these nothing that follows on the connection can be trusted to begin where it seems to. */
const closing: ReadonlySet<PageName> = new Set([
  'badRequest',
  'methodNotAllowed',
  'headersTooMany',
  'badVersion',
]);

/** Breaks the connection off instead when an answer has begun already. */
export function answer(req: IncomingMessage, res: ServerResponse, name: PageName): void {
  if (res.headersSent) return void res.destroy();
  const wantsHtml = req.headers.accept?.includes('text/html') === true;
  const { status, headers, body } = wantsHtml ? htmlPage(name) : problemPage(name);
  if (closing.has(name) || isSending(req)) res.shouldKeepAlive = false;
  res.writeHead(status, [...headers]);
  res.end(body);
}

/** Answers a text that the route set holds. */
export function answerText(res: ServerResponse, text: string): void {
  const body = Buffer.from(text);
  res.writeHead(200, [
    ...['Content-Type', 'text/plain; charset=utf-8', 'Content-Length', String(body.length)],
    ...['Cache-Control', 'no-store', 'X-Content-Type-Options', 'nosniff'],
  ]);
  res.end(body);
}

/** Whether there may be more of the body to come: reading all of it only to keep the connection would cost too much. */
function isSending({ complete, headers }: IncomingMessage): boolean {
  return !complete && (headers['content-length'] ?? headers['transfer-encoding'] ?? '0') !== '0';
}
