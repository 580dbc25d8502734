import assert from 'node:assert/strict';
import { it } from 'node:test';
import { registryErrorOf, type RegistryFault } from '../../../controllers/engine/registry-error.ts';

const place = { registry: 'ghcr.io', repository: 'ghcr.io/shop/web' };

/** As Docker 20.10 to 28, containerd and Podman say it. */
const sayings: [said: string, status: number | undefined, fault: RegistryFault][] = [
  ['manifest unknown: manifest unknown', 404, 'not_found'],
  ['manifest for ghcr.io/shop/web:2 not found: manifest unknown: manifest unknown', 404, 'not_found'],
  ['failed to resolve reference "ghcr.io/shop/web:2": ghcr.io/shop/web:2: not found', 404, 'not_found'],
  ['name unknown: repository name not known to registry', undefined, 'not_found'],
  ['unauthorized', 401, 'denied'],
  ['unauthorized', 500, 'denied'],
  ['unauthorized: authentication required', 500, 'denied'],
  ['Head "https://ghcr.io/v2/shop/web/manifests/1": no basic auth credentials', 500, 'denied'],
  ['denied: requested access to the resource is denied', 403, 'denied'],
  [
    "pull access denied for shop/web, repository does not exist or may require 'docker login': denied: requested access to the resource is denied",
    404,
    'denied',
  ],
  ['Get "https://registry-1.docker.io/v2/": unauthorized: incorrect username or password', 500, 'denied'],
  ['toomanyrequests: You have reached your pull rate limit', 429, 'rate_limited'],
  [
    'download failed after attempts=1: toomanyrequests: You have reached your pull rate limit',
    undefined,
    'rate_limited',
  ],
  ['received unexpected HTTP status: 500 Internal Server Error', 500, 'unreachable'],
  ['received unexpected HTTP status: 503 Service Unavailable', 500, 'unreachable'],
  ['Get "http://127.0.0.1:1/v2/": dial tcp 127.0.0.1:1: connect: connection refused', 500, 'unreachable'],
  [
    'Get "https://nosuch.example/v2/": dial tcp: lookup nosuch.example on 10.0.0.1:53: no such host',
    500,
    'unreachable',
  ],
  [
    'Get "http://ghcr.io/v2/": net/http: request canceled (Client.Timeout exceeded while awaiting headers)',
    500,
    'unreachable',
  ],
  ['unexpected EOF', undefined, 'unreachable'],
  ['Get "https://10.0.0.9:5000/v2/": x509: certificate signed by unknown authority', 500, 'untrusted'],
  ['Get "https://10.0.0.9:5000/v2/": http: server gave HTTP response to HTTPS client', 500, 'untrusted'],
  ['no matching manifest for linux/amd64 in the manifest list entries', undefined, 'platform'],
  ['filesystem layer verification failed for digest sha256:aa', undefined, 'damaged'],
  [
    'error pulling image configuration: image config verification failed for digest sha256:aa',
    undefined,
    'damaged',
  ],
  ["error unmarshalling content: invalid character '<' looking for beginning of value", 500, 'damaged'],
  ['missing or empty Content-Type header', 500, 'damaged'],
  ['write /var/lib/docker/tmp/GetImageBlob1: no space left on device', undefined, 'full'],
  ['something that nobody has seen before', 404, 'not_found'],
  ['something that nobody has seen before', 500, 'unreachable'],
];

for (const [said, status, fault] of sayings) {
  it(`takes "${said.slice(0, 70)}" (${status ?? 'in the progress'}) for ${fault}`, () => {
    const error = registryErrorOf(said, status, place, undefined);
    assert.equal(error.fault, fault);
    assert.equal(
      error.isTransient,
      ['rate_limited', 'stalled', 'interrupted', 'unreachable'].includes(fault),
    );
  });
}

for (const [said, ms] of [
  ['toomanyrequests: retry-after: 52.5µs, allowed: 44000/minute', 0],
  ['toomanyrequests: retry-after: 1m30.5s, allowed: 44000/minute', 90_500],
  ['toomanyrequests: Retry-After: 7', 7_000],
  ['toomanyrequests: You have reached your pull rate limit', undefined],
] as const) {
  it(`takes from "${said}" when to ask again`, () => {
    assert.equal(registryErrorOf(said, 429, place, undefined).retryAfter, ms);
  });
}

it('does not repeat what an answer said that is no registry', () => {
  const said = 'error parsing HTTP 404 response body: invalid character: "role: admin, token: 1234"';
  const { message } = registryErrorOf(said, 500, place, undefined);
  assert.doesNotMatch(message, /1234/);
});
