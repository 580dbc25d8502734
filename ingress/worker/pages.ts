/** What the ingress itself answers: constant pages, nothing of the request in them. Pure. */

interface Text {
  status: number;
  title: string;
  detail: string;
  /** Stable and machine-readable, as in every problem body of the API. */
  code: string;
  /** Seconds. */
  retryAfter?: number;
}

const texts = {
  badRequest: {
    status: 400,
    title: 'Bad request',
    detail:
      'This request can be understood in more than one way. Send one Host and one way to frame the body.',
    code: 'bad_request',
  },
  unknownHost: {
    status: 404,
    title: 'Nothing here',
    detail: 'No service answers for this host name. Check the name, or attach the domain to a service.',
    code: 'not_found',
  },
  methodNotAllowed: {
    status: 405,
    title: 'Method not allowed',
    detail: 'CONNECT and TRACE are not served.',
    code: 'method_not_allowed',
  },
  misdirected: {
    status: 421,
    title: 'Misdirected request',
    detail: 'This connection was made for another host name. Connect anew, naming the one that is asked for.',
    code: 'misdirected',
  },
  headersTooMany: {
    status: 431,
    title: 'Too many headers',
    detail: 'A request may have at most 100 headers.',
    code: 'too_large',
  },
  badGateway: {
    status: 502,
    title: 'No usable answer',
    detail: 'The service could not be reached or broke off. Try again; its logs say more.',
    code: 'bad_gateway',
  },
  starting: {
    status: 503,
    title: 'Starting',
    detail: 'This node has just started and does not know its services yet. Try again in a moment.',
    code: 'unavailable',
    retryAfter: 2,
  },
  unavailable: {
    status: 503,
    title: 'Not available',
    detail: 'The service has no healthy replica at the moment. Try again in a moment.',
    code: 'unavailable',
    retryAfter: 5,
  },
  stopped: {
    status: 503,
    title: 'Stopped',
    detail: 'The service is stopped. Start it to have it answer again.',
    code: 'unavailable',
    retryAfter: 60,
  },
  badVersion: {
    status: 505,
    title: 'Version not supported',
    detail: 'Use HTTP/1.1.',
    code: 'bad_request',
  },
} as const satisfies Record<string, Text>;

export type PageName = keyof typeof texts;

export interface Page {
  status: number;
  headers: readonly string[];
  body: Buffer;
}

/** For people in a browser: `Accept` names text/html. */
export function htmlPage(name: PageName): Page {
  return pages[name].html;
}

/** For programs: a problem body (RFC 9457). */
export function problemPage(name: PageName): Page {
  return pages[name].problem;
}

/** Made once: an attacker's million requests for an unknown host cost no rendering. */
const pages = Object.fromEntries(
  Object.entries<Text>(texts).map(([name, text]) => [name, { html: asHtml(text), problem: asProblem(text) }]),
) as Record<PageName, { html: Page; problem: Page }>;

function asProblem(text: Text): Page {
  const { title, status, detail, code } = text;
  return page(
    text,
    'application/problem+json',
    `${JSON.stringify({ type: 'about:blank', title, status, detail, code })}\n`,
  );
}

function asHtml(text: Text): Page {
  const { status, title, detail } = text;
  const style =
    'body{font:18px/1.5 system-ui,sans-serif;max-width:34em;margin:18vh auto;padding:0 1em;color:#222}small{color:#777}';
  const html = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${title}</title><style>${style}</style>
<h1>${title}</h1><p>${detail}</p><p><small>${status}</small></p>
`;
  return page(text, 'text/html; charset=utf-8', html);
}

function page({ status, retryAfter }: Text, type: string, content: string): Page {
  const body = Buffer.from(content);
  const headers = [
    'Content-Type',
    type,
    'Content-Length',
    String(body.length),
    'Cache-Control',
    'no-store',
    'Vary',
    'Accept',
  ];
  if (retryAfter !== undefined) headers.push('Retry-After', String(retryAfter));
  return { status, headers, body };
}
