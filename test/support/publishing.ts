/** Images for registries: each serves a text on $PORT, and is unlike every other one. */
import { randomBytes } from 'node:crypto';
import { DockerEngine } from '../../controllers/engine/docker.ts';
import { systemClock } from '../../controllers/runtime/system-clock.ts';
import { serving } from './apps.ts';
import { contextOf } from './build-context.ts';
import type { TestRegistry } from './registry.ts';

/** Builds an image that serves this text. @returns the tag under which the engine has it */
export async function buildServing(endpoint: string, text: string): Promise<string> {
  const version = randomBytes(4).toString('hex');
  const tag = `svc/t${version}:built`;
  // The engine must not have it from an earlier run.
  const dockerfile = serving.replace('\n', `\nLABEL version=${version}\n`);
  await new DockerEngine({ endpoint, clock: systemClock }).build({
    context: contextOf({ Dockerfile: dockerfile, 'www/index.html': text }),
    ...{
      dockerfile: 'Dockerfile',
      tag,
      labels: {},
      cacheScope: version,
      limits: { memoryBytes: 2 ** 28, cpus: 1 },
    },
    ...{ onLine: () => undefined, signal: new AbortController().signal },
  });
  return tag;
}

/** Puts an image that serves this text into a registry and nowhere else. @returns `repository@sha256:…` */
export async function publish(
  endpoint: string,
  registry: TestRegistry,
  name: string,
  text: string,
): Promise<string> {
  const tag = await buildServing(endpoint, text);
  const digest = await registry.publish(endpoint, tag, name);
  await new DockerEngine({ endpoint, clock: systemClock }).removeImage(tag);
  return digest;
}
