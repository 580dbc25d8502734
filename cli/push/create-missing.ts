/** `svc push --create`: the service of the manifest, made if it is not there. */
import type { ServiceResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import type { Context } from '../context.ts';
import { CliError, ExitCode, usageError } from '../errors.ts';
import type { CreateBlock } from '../manifest.ts';
import type { Target } from '../target.ts';

/** Throws CliError: usage without a [create] block, refused where the node has no control domain. */
export async function createMissing(
  { stderr }: Context,
  client: Client,
  { project, service: name }: Target,
  block: CreateBlock | undefined,
): Promise<ServiceResource> {
  if (block === undefined) {
    throw usageError(
      '--create needs to know how to make the service.',
      'Write a block [create] with port = <PORT> into .svc.',
    );
  }
  const { control_domain: controlDomain } = await client.node();
  if (controlDomain === null) {
    throw new CliError(ExitCode.refused, '--create is refused: the node has no control domain.', {
      code: 'conflict',
      next: `Create it with: svc services create ${name} -p ${project} --port ${block.port}`,
    });
  }
  const [existing] = await client.services({ project, name });
  if (existing !== undefined) return existing;
  const created = await client.createService({ project, name, ...block });
  stderr.write(`Created service ${created.project}/${created.name}\n`);
  return created;
}
