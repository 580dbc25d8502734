/** One build at the engine, of a context that is there: its output goes line by line into the deployment's log, masked. */
import type { Clock } from '../../specs/clock.ts';
import type { Row } from '../../specs/index.ts';
import type { DeploymentLogEntry } from '../../specs/log-entry.ts';
import type { Masks } from '../../specs/mask.ts';
import { timestamp } from '../../specs/meta.ts';
import type { Engine } from '../engine/engine.ts';
import { imageTag } from '../engine/names.ts';

/** An uncompressed canonical tar, and the path of the Dockerfile inside it. */
export interface BuildContext {
  stream: NodeJS.ReadableStream;
  dockerfile: string;
}

export interface ImageBuildDeps {
  engine: Pick<Engine, 'build'>;
  log: (deploymentId: string, entry: DeploymentLogEntry) => void;
  /** Hide the project's secrets in what a build prints. */
  masks: Masks;
  clock: Clock;
  nodeId: string;
  limits: { memoryBytes: number; cpus: number };
}

/** @returns the image's id. Throws EngineError; `refused` when the build itself failed */
export function buildImage(
  row: Row<'Deployment'>,
  { stream, dockerfile }: BuildContext,
  signal: AbortSignal,
  { engine, log, masks, clock, nodeId, limits }: ImageBuildDeps,
): Promise<string> {
  const project = row.spec.project_id;
  return engine.build({
    context: stream,
    dockerfile,
    tag: imageTag(row),
    labels: { 'svc.node': nodeId, 'svc.deployment': row.id },
    cacheScope: project,
    limits,
    signal,
    mask: () => masks.lines(project),
    onLine: ({ stream: from, line: text }) => {
      // Steps are named after their instructions, which may hold a value as well.
      const line = masks.text(project, text);
      log(row.id, { event: 'log', at: timestamp(clock.now()), phase: 'build', stream: from, line });
    },
  });
}
