/**
 * Builds an image: with BuildKit where its steps can be capped on this node, else with the classic builder, which takes
 * the limits itself. Both builders take the canonical tar as it streams in and prefer local base images.
 */
import { Readable } from 'node:stream';
import type { Clock } from '../../../specs/clock.ts';
import type { Connection } from '../connect.ts';
import { deadlines, withDeadline, withIdleDeadline } from '../deadline.ts';
import { EngineError, type BuildRequest } from '../engine.ts';
import { toEngineError } from '../errors.ts';
import { ProgressFailure, progressEvents } from '../progress.ts';
import type { BuildCap, Lift } from './build-cap.ts';
import { BuildkitOutput, ClassicOutput, type BuildOutput } from './build-output.ts';
import { findImage } from './images.ts';
import { openSession, type Session } from './session.ts';
import { openStream } from './stream.ts';

const doing = 'build the image';
const aborted = (): EngineError => new EngineError('aborted', 'The build was cancelled');

/** Failures of a step that are the engine's own: it was shut down while it built. */
const interrupted = /context canceled|code = (Canceled|Unavailable)|shutting down/i;

export async function build(
  connection: Connection,
  clock: Clock,
  cap: BuildCap | undefined,
  request: BuildRequest,
): Promise<string> {
  const { limits, signal } = request;
  const hasEnded = (): boolean => signal.aborted;
  const context = Readable.from(request.context, { objectMode: false });
  let contextError: Error | undefined;
  context.on('error', (error) => (contextError = error));
  let lift: Lift | undefined;
  let output: BuildOutput | undefined;
  try {
    if (hasEnded()) throw aborted();
    lift = await cap?.acquire(limits);
    output = lift ? new BuildkitOutput(request) : new ClassicOutput(request);
    await run(connection, clock, { request, context, output, isBuildkit: lift !== undefined });
    if (output.imageId === undefined)
      throw new EngineError('unavailable', 'The engine ended the build without a result: it is tried again');
    const image = await findImage(connection, clock, output.imageId);
    if (image === undefined)
      throw new EngineError('unavailable', 'The engine lost the image that it built: it is tried again');
    return image;
  } catch (error) {
    if (hasEnded()) throw aborted();
    if (contextError)
      throw new EngineError('refused', 'The build context broke off: push again', contextError);
    throw failureOf(error, output);
  } finally {
    context.destroy();
    await lift?.(output?.ranCommand ?? false);
  }
}

interface Run {
  request: BuildRequest;
  context: Readable;
  output: BuildOutput;
  isBuildkit: boolean;
}

/** Resolves when the engine has said all about the build. The engine stops building when the connection closes. */
async function run(
  { slow }: Connection,
  clock: Clock,
  { request, context, output, isBuildkit }: Run,
): Promise<void> {
  let session: Session | undefined;
  try {
    if (isBuildkit)
      session = await withDeadline(clock, 'open a build session', deadlines.read, (deadline) =>
        openSession(slow, deadline),
      );
    const query = {
      ...queryOf(request),
      ...(session
        ? { version: '2', session: session.id, buildargs: buildkitArgs(request) }
        : { version: '1' }),
    };
    // The engine may answer only when it has read the whole context.
    const stream = await withDeadline(clock, doing, deadlines.buildIdle, (deadline) =>
      openStream(slow, {
        method: 'POST',
        path: '/build',
        query,
        body: context,
        signal: AbortSignal.any([request.signal, deadline]),
      }),
    );
    const chunks = withIdleDeadline(clock, doing, deadlines.buildIdle, stream);
    for await (const event of progressEvents(chunks)) output.read(event);
  } finally {
    session?.close();
  }
}

function queryOf({
  dockerfile,
  tag,
  labels,
  limits,
}: BuildRequest): Record<string, string | number | boolean> {
  const period = 100_000;
  return {
    dockerfile,
    t: tag,
    labels: JSON.stringify(labels),
    rm: true,
    forcerm: true,
    // The classic builder obeys these, BuildKit ignores them. Memory and swap together: no swap.
    memory: limits.memoryBytes,
    memswap: limits.memoryBytes,
    cpuperiod: period,
    cpuquota: Math.max(1_000, Math.round(limits.cpus * period)),
  };
}

/**
 * Cache mounts belong to the whole engine, whoever builds: without a namespace (Dockerfile reference, "BuildKit built-in build
 * args") one project would read what another one keeps there, and could plant something in it.
 */
function buildkitArgs({ cacheScope }: BuildRequest): string {
  return JSON.stringify({ BUILDKIT_CACHE_MOUNT_NS: cacheScope });
}

function failureOf(error: unknown, output: BuildOutput | undefined): EngineError {
  if (!(error instanceof ProgressFailure)) return toEngineError(error, doing);
  if (interrupted.test(error.message))
    return new EngineError('unavailable', 'The engine broke the build off: it is tried again', error);
  return new EngineError('refused', output?.explain(error.message) ?? error.message, error);
}
