/**
 * Images of registries, for whoever runs them. The registry is asked first, as the project: it says which digest a tag is
 * now, and whether the project may have it, also when the engine has it already. What it has is pulled by that digest, so
 * that a tag that moves meanwhile moves nothing here.
 *
 * In the place of a registry that does not give the image, the engine's own tag is taken only for an image that was never in
 * any registry (built or loaded on this machine): it cannot be an old copy of something newer.
 */
import type { Clock } from '../../specs/clock.ts';
import {
  formatImageReference,
  parseImageReference,
  repositoryOf,
  type ImageReference,
} from '../../specs/image-reference.ts';
import { EngineError, type Engine } from '../engine/engine.ts';
import { RegistryError } from '../engine/registry-error.ts';
import type { RegistryAuth } from '../engine/registry-request.ts';
import { elapse } from './elapse.ts';
import type { Credentials } from './credentials.ts';
import { PullError, pullError } from './failure.ts';
import { pauseAfter } from './patience.ts';

export interface PulledImage {
  /** Content id at the engine. */
  image: string;
  /** `repository@sha256:…`; null for an image that is in no registry. */
  digest: string | null;
}

export interface ImageRequest {
  /** As it was asked for. */
  reference: string;
  /** What an earlier try found it to be; null: not known yet. */
  digest: string | null;
  projectId: string;
  /** The engine keeps it under this tag for the caller. */
  tag: string;
  /** Called before anything is pulled: tried again, it is to be the same one. */
  onDigest: (digest: string) => Promise<void>;
  /** Called before anything is pulled: throws where that is not to be. */
  mayPull?: () => Promise<void>;
  /** Progress, for people. */
  onLine: (line: string) => void;
  signal: AbortSignal;
}

export interface PullDeps {
  engine: Pick<Engine, 'resolveImage' | 'pullImage' | 'inspectImage' | 'tagImage'>;
  credentials: Credentials;
  clock: Clock;
}

/** Throws PullError with a verdict, and EngineError when the engine itself fails or the signal aborts. */
export async function obtainImage(request: ImageRequest, deps: PullDeps): Promise<PulledImage> {
  const { reference, signal, onLine } = request;
  const named = parseImageReference(request.digest ?? reference);
  if ('fault' in named) throw new PullError('ImageNotFound', `The image ${named.fault}.`);
  let known = request.digest;
  const onDigest = async (digest: string): Promise<void> => {
    if (known === digest) return;
    known = digest;
    await request.onDigest(digest);
  };
  for (let tries = 1; ; tries++) {
    const wanted =
      known === null ? named : { ...named, tag: null, digest: known.slice(known.indexOf('@') + 1) };
    const auth = await deps.credentials(request.projectId, named.registry);
    try {
      return await obtain(wanted, auth, { ...request, onDigest }, deps);
    } catch (error) {
      if (!(error instanceof RegistryError)) throw error;
      const pause = pauseAfter(error.fault, tries, error.retryAfter);
      const asked = { reference, registry: named.registry, username: auth?.username };
      if (pause === undefined) throw pullError(error, asked);
      onLine(`${error.message}. It is asked again in ${pause / 1000} s`);
      await elapse(deps.clock, pause, signal);
    }
  }
}

async function obtain(
  named: ImageReference,
  auth: RegistryAuth | undefined,
  request: ImageRequest,
  deps: PullDeps,
): Promise<PulledImage> {
  const { engine } = deps;
  const { signal, onLine, tag } = request;
  const as = { ...(auth && { auth }), signal };
  const found = await resolve(named, as, request, deps);
  if (found.local !== undefined) {
    await engine.tagImage(found.local, tag);
    return { image: found.local, digest: null };
  }
  const digest = `${repositoryOf(named)}@${found.digest}`;
  await request.onDigest(digest);
  const there = await engine.inspectImage(digest);
  if (there) onLine(`The engine has ${digest} already: nothing is pulled`);
  else {
    await request.mayPull?.();
    onLine(`Pulling ${digest}${auth ? ` as ${auth.username}` : ''}`);
  }
  const { id } = there ?? (await engine.pullImage({ reference: digest, ...as, onLine }));
  await engine.tagImage(id, tag).catch((error: unknown) => {
    // Whoever gave up its last tag meanwhile has taken it along.
    if (!(error instanceof EngineError) || error.code !== 'not_found') throw error;
    throw new EngineError('unavailable', 'The engine lost the image that it had: it is tried again', error);
  });
  return { image: id, digest };
}

/** Milliseconds of silence after which whoever waits is told so. */
const noticeable = 10_000;

/** Which digest it is, or the id of an image of this machine that stands in for it. */
async function resolve(
  named: ImageReference,
  as: { auth?: RegistryAuth; signal: AbortSignal },
  { onLine }: ImageRequest,
  { engine, clock }: Pick<PullDeps, 'engine' | 'clock'>,
): Promise<{ digest: string; local?: undefined } | { local: string }> {
  const reference = formatImageReference(named);
  const cancel = clock.after(noticeable, () =>
    onLine(
      `The registry ${named.registry} has been asked for ${noticeable / 1_000} s, and has not answered yet`,
    ),
  );
  try {
    return { digest: await engine.resolveImage({ reference, ...as }) };
  } catch (error) {
    if (!(error instanceof RegistryError) || (error.fault === 'denied' && as.auth)) throw error;
    const local = await ownImage(named, engine);
    if (local === undefined) throw error;
    onLine(
      `${error.message}. The image ${reference} that was made on this machine, and is in no registry, is used`,
    );
    return { local };
  } finally {
    cancel();
  }
}

async function ownImage(named: ImageReference, engine: PullDeps['engine']): Promise<string | undefined> {
  // Images of other deployments lie there, also those of other projects.
  const isOurs = repositoryOf(named).startsWith('docker.io/svc/');
  if (named.digest !== null || isOurs) return undefined;
  const found = await engine.inspectImage(formatImageReference(named));
  return found?.digests.length === 0 ? found.id : undefined;
}
