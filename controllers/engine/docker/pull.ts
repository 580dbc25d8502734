/**
 * Images of registries. The engine asks them and pulls; what it is told, and what it tells while it pulls, is read here to
 * the end: a pull that fails half-way has long been answered with 200.
 */
import { Type } from '@sinclair/typebox';
import { text } from 'node:stream/consumers';
import type { Clock } from '../../../specs/clock.ts';
import { parseImageReference, repositoryOf, type ImageReference } from '../../../specs/image-reference.ts';
import type { Connection } from '../connect.ts';
import { deadlines, overdue, withDeadline, withIdleDeadline } from '../deadline.ts';
import { EngineError, type ImageFacts } from '../engine.ts';
import { sayingOf, statusOf, toEngineError } from '../errors.ts';
import { expect } from '../expect.ts';
import { ProgressFailure, progressEvents } from '../progress.ts';
import { RegistryError, registryErrorOf, registryInterrupted, registryStalled } from '../registry-error.ts';
import type { PullRequest, RegistryRequest } from '../registry-request.ts';
import { checked, inspectImage } from './images.ts';
import { runsOn } from './platform.ts';
import { PullOutput, type PullPhase } from './pull-output.ts';
import { tellingSilence } from './silence.ts';
import { openStream } from './stream.ts';

const Distribution = Type.Object({
  Descriptor: Type.Object({ digest: Type.String({ pattern: '^sha256:[0-9a-f]{64}$' }) }),
  Platforms: Type.Optional(
    Type.Union([
      Type.Null(),
      Type.Array(
        Type.Object({ os: Type.Optional(Type.String()), architecture: Type.Optional(Type.String()) }),
      ),
    ]),
  ),
});

/** @returns digest of what the registry has under the reference */
export async function resolveImage(
  connection: Connection,
  clock: Clock,
  { reference, auth, signal }: RegistryRequest,
): Promise<string> {
  const named = parsed(reference);
  const ask = async (deadline: AbortSignal): Promise<unknown> => {
    const reply = await openStream(connection.slow, {
      ...{ method: 'GET', path: `/distribution/${checked(reference)}/json`, query: {} },
      ...(auth && { auth }),
      signal: AbortSignal.any([signal, deadline]),
    });
    return json(await text(reply));
  };
  const reply = await settle(named, signal, () =>
    withDeadline(clock, 'ask the registry', deadlines.registryAnswer, ask, (_, ms) =>
      registryStalled(named, ms),
    ),
  );
  const { Descriptor, Platforms } = expect(Distribution, reply, 'what a registry has');
  const platforms = (Platforms ?? []).map(({ os = '', architecture = '' }) => `${os}/${architecture}`);
  if (connection.platform !== undefined && !runsOn(connection.platform, platforms)) {
    const made = [...new Set(platforms)].join(', ');
    throw new RegistryError(
      'platform',
      `The image ${repositoryOf(named)} is made for ${made}, and this machine is ${connection.platform}`,
    );
  }
  return Descriptor.digest;
}

/** Milliseconds of silence after which somebody who reads the log is told so. */
const noticeable = 15_000;

const idleIn: Readonly<Record<PullPhase, number>> = {
  registry: deadlines.pullIdle,
  queue: deadlines.queueIdle,
  unpacking: deadlines.unpackIdle,
};

const silences: Readonly<Record<PullPhase, string>> = {
  registry: 'Nothing has come from the registry',
  queue: 'It has waited for other pulls of the engine',
  unpacking: 'The engine has been unpacking, without a word,',
};

/** The engine gives the pull up when the signal aborts. */
export async function pullImage(
  connection: Connection,
  clock: Clock,
  { reference, auth, signal, onLine }: PullRequest,
): Promise<ImageFacts> {
  const named = parsed(reference);
  const doing = 'pull the image';
  const output = new PullOutput(clock, onLine);
  const late = (_: string, ms: number): EngineError =>
    output.phase === 'registry' ? registryStalled(named, ms) : overdue(doing, ms);
  const query = { fromImage: repositoryOf(named), tag: named.digest ?? named.tag ?? 'latest' };
  await settle(named, signal, async () => {
    const stream = await withDeadline(
      ...([clock, doing, deadlines.registryAnswer] as const),
      (deadline) =>
        openStream(connection.slow, {
          ...{ method: 'POST', path: '/images/create', query },
          ...(auth && { auth }),
          signal: AbortSignal.any([signal, deadline]),
        }),
      late,
    );
    const idle = (): number => idleIn[output.phase];
    const chunks = withIdleDeadline(clock, doing, idle, stream, late);
    const say = (ms: number): void => {
      onLine(`${silences[output.phase]} for ${ms / 1000} s`);
    };
    for await (const event of tellingSilence(clock, noticeable, progressEvents(chunks), say))
      output.read(event);
  }).catch((error: unknown) => {
    const isBreaking = error instanceof RegistryError && error.fault === 'unreachable' && output.hasBroken;
    throw isBreaking ? registryInterrupted(named, error) : error;
  });
  const image = await inspectImage(connection, clock, reference);
  if (!image)
    throw new EngineError('unavailable', 'The engine ended the pull without an image: it is tried again');
  return image;
}

function parsed(reference: string): ImageReference {
  const named = parseImageReference(checked(reference));
  if ('fault' in named) throw new EngineError('refused', 'This is no image reference');
  return named;
}

/** Tells apart whether the caller gave up, the registry failed or the engine did. */
async function settle<T>(named: ImageReference, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const aborted = () => new EngineError('aborted', 'The pull was cancelled');
  const hasEnded = (): boolean => signal.aborted;
  if (hasEnded()) throw aborted();
  try {
    return await work();
  } catch (error) {
    if (hasEnded()) throw aborted();
    const said = sayingOfRegistry(error);
    if (said === undefined) throw toEngineError(error, 'ask the registry');
    const place = { registry: named.registry, repository: repositoryOf(named) };
    throw registryErrorOf(said.words, said.status, place, error);
  }
}

/** What the engine reports of the registry; undefined when it is the engine itself that failed. */
function sayingOfRegistry(error: unknown): { words: string; status?: number } | undefined {
  if (error instanceof ProgressFailure) return { words: error.message };
  const answer = error instanceof EngineError ? error.cause : error;
  const status = statusOf(answer);
  return status === undefined ? undefined : { words: sayingOf(answer) || `status ${status}`, status };
}

function json(reply: string): unknown {
  try {
    return JSON.parse(reply) as unknown;
  } catch {
    // What is no JSON is no answer of an engine either; `expect` says so.
    return undefined;
  }
}
