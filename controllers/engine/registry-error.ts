/**
 * What went wrong between the engine and a registry, told apart by what has to be done about it. Engines hand on the words
 * of registries, of Go's network library and of their own, under whatever status: the words are all there is to go by. Pure.
 */
import { EngineError } from './engine.ts';
import { shorten } from './errors.ts';

/**
 * `denied`: other credentials. `not_found`: another reference. `platform`: an image for this machine. `untrusted`: a
 * certificate that the engine trusts. `damaged`: the image must be pushed again. `full`: room on the disk.
 * `rate_limited`, `stalled`, `interrupted` (in the middle of a layer, again and again), `unreachable`: time.
 */
export type RegistryFault =
  | 'denied'
  | 'not_found'
  | 'platform'
  | 'untrusted'
  | 'damaged'
  | 'full'
  | 'rate_limited'
  | 'stalled'
  | 'interrupted'
  | 'unreachable';

const passing: readonly RegistryFault[] = ['rate_limited', 'stalled', 'interrupted', 'unreachable'];

/** The engine works, but the registry did not give the image. The message is a sentence without a full stop. */
export class RegistryError extends EngineError {
  readonly fault: RegistryFault;
  /** Milliseconds after which it may be asked again, where it says so and the engine hands it on. */
  readonly retryAfter: number | undefined;

  constructor(fault: RegistryFault, message: string, cause?: unknown, retryAfter?: number) {
    super(fault === 'not_found' ? 'not_found' : 'refused', message, cause);
    this.name = 'RegistryError';
    this.fault = fault;
    this.retryAfter = retryAfter;
  }

  /** Whether the same may succeed later. */
  get isTransient(): boolean {
    return passing.includes(this.fault);
  }
}

/** Name of the repository, such as `ghcr.io/shop/web`, and of its registry. */
interface Place {
  registry: string;
  repository: string;
}

/** In this order: a registry that limits its rate may call that denied, too. */
const rules: readonly [RegExp, RegistryFault, (place: Place, said: string) => string][] = [
  [
    /too ?many ?requests|rate limit|status: 429/i,
    'rate_limited',
    ({ registry }) => `The registry ${registry} takes no more pulls for now`,
  ],
  [
    /no matching manifest|no match for platform|does not match the specified platform|image operating system .* cannot be used/i,
    'platform',
    ({ repository }) => `The image ${repository} is not made for this machine`,
  ],
  [
    /x509:|tls: |certificate|HTTP response to HTTPS client/i,
    'untrusted',
    ({ registry }, said) =>
      `The engine does not trust the registry ${registry} (${said}): put its CA into the engine's certs.d/${registry}/ca.crt`,
  ],
  [
    /unauthori[sz]ed|denied|forbidden|no basic auth credentials|authentication required|incorrect username|insufficient_scope|status: 40[13]/i,
    'denied',
    ({ registry, repository }) => `The registry ${registry} does not give ${repository} to this project`,
  ],
  [
    /manifest unknown|name unknown|name_unknown|not found|no such image|invalid repository name/i,
    'not_found',
    ({ registry }) => `The registry ${registry} has no such image`,
  ],
  [/no space left/i, 'full', () => 'The disk of the engine is full'],
  [
    /verification failed|unexpected digest|digest.*(?:mismatch|does not match)|unmarshal|invalid character|missing or empty Content-Type|unsupported (?:media|manifest|schema)|unknown manifest|invalid (?:tar|checksum|header)|archive\/tar|unexpected commit digest/i,
    'damaged',
    ({ registry }, said) => `The registry ${registry} answered something that is not the image (${said})`,
  ],
];

/**
 * @param said by the engine
 * @param status that the engine answered with, if that was how it said it
 */
export function registryErrorOf(
  said: string,
  status: number | undefined,
  place: Place,
  cause: unknown,
): RegistryError {
  const words = withoutBody(shorten(said));
  const [, fault, message] =
    rules.find(([pattern]) => pattern.test(words)) ??
    rules.find(([, kind]) => kind === byStatus(status)) ??
    [];
  if (fault && message)
    return new RegistryError(fault, message(place, words), cause, retryAfterIn(fault, words));
  return new RegistryError('unreachable', `The registry ${place.registry} cannot be asked: ${words}`, cause);
}

export function registryStalled({ registry }: Pick<Place, 'registry'>, ms: number): RegistryError {
  return new RegistryError('stalled', `Nothing came from the registry ${registry} for ${ms / 1000} s`);
}

/** The engine has tried a layer again by itself, as often as it does, and has given it up. */
export function registryInterrupted(
  { registry }: Pick<Place, 'registry'>,
  cause: RegistryError,
): RegistryError {
  return new RegistryError(
    'interrupted',
    `The registry ${registry} broke off in the middle of the image, also when the engine asked for the rest again`,
    cause,
  );
}

const units: Readonly<Record<string, number>> = { h: 3_600_000, m: 60_000, s: 1_000, ms: 1 };

/**
 * Engines do not hand on the header Retry-After; some registries say it in words as well, as a Go duration (ghcr.io:
 * `toomanyrequests: retry-after: 1m30s, allowed: 44000/minute`).
 */
function retryAfterIn(fault: RegistryFault, said: string): number | undefined {
  const told = /retry[- ]after:? *((?:[\d.]+(?:h|ms|m|s|us|µs|ns))+|\d+)/i.exec(said)?.[1];
  if (fault !== 'rate_limited' || told === undefined) return undefined;
  if (/^\d+$/.test(told)) return Number(told) * 1_000;
  const parts = told.matchAll(/([\d.]+)(h|ms|m|s|us|µs|ns)/g);
  const ms = [...parts].reduce((sum, [, count, unit = '']) => sum + Number(count) * (units[unit] ?? 0), 0);
  return Number.isFinite(ms) ? Math.ceil(ms) : undefined;
}

function byStatus(status: number | undefined): RegistryFault | undefined {
  if (status === 401 || status === 403) return 'denied';
  if (status === 404) return 'not_found';
  return status === 429 ? 'rate_limited' : undefined;
}

/**
 * Engines quote an answer that they cannot read. It may be of anything that listens where a reference points to: whoever
 * deploys is not shown it.
 */
function withoutBody(said: string): string {
  return said.replace(/(response body|unmarshalling content)\b.*$/i, '$1');
}
