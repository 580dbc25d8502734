/** Where a push takes its artifact from: the tree, which is packed and uploaded, or a Git repository or an image, which the node fetches. */
import type { ServiceResource } from '../../specs/resources.ts';
import type { CreateDeployment } from '../../specs/requests.ts';
import type { Client } from '../client.ts';
import type { Context } from '../context.ts';
import { usageError } from '../errors.ts';
import type { Manifest } from '../manifest.ts';
import { uploadTree } from './upload-tree.ts';

/** As they were given. */
export interface SourceFlags {
  image: string | undefined;
  repository: string | undefined;
  ref: string | undefined;
  dockerfile: string | undefined;
  buildContext: string | undefined;
}

/** Makes the body of the request; uploads first, if there is something to upload. */
export type Source = (client: Client, service: ServiceResource) => Promise<CreateDeployment>;

/**
 * Throws CliError: usage for flags that do not go together, and where the tree has no such Dockerfile or context.
 * @param root of the tree
 */
export async function sourceOf(
  context: Context,
  flags: SourceFlags,
  manifest: Manifest,
  root: string,
): Promise<Source> {
  const { image, repository, ref } = flags;
  if (image !== undefined) {
    const other = ruledOut(flags);
    if (other !== undefined)
      throw usageError(`--image is deployed as it is: ${other} says nothing about it.`);
    return (_, { id }) => Promise.resolve({ service_id: id, image });
  }
  if (ref !== undefined && repository === undefined)
    throw usageError('--ref names something in a Git repository.', 'Say which one with --git URL.');
  const dockerfile = flags.dockerfile ?? manifest.dockerfile;
  const buildContext = flags.buildContext ?? manifest.context;
  if (repository === undefined) return treeSource(context, root, { dockerfile, context: buildContext });
  const paths = {
    ...(dockerfile !== undefined && { dockerfile_path: dockerfile }),
    ...(buildContext !== undefined && { context_path: buildContext }),
  };
  return (_, { id }) =>
    Promise.resolve({ service_id: id, repo_url: repository, git_ref: ref ?? 'HEAD', ...paths });
}

/** The first flag that does not go with an image. */
function ruledOut({ repository, ref, dockerfile, buildContext }: SourceFlags): string | undefined {
  const others = { '--git': repository, '--ref': ref, '--dockerfile': dockerfile, '--context': buildContext };
  return Object.entries(others).find(([, value]) => value !== undefined)?.[0];
}

async function treeSource(
  context: Context,
  root: string,
  paths: { dockerfile: string | undefined; context: string | undefined },
): Promise<Source> {
  // The packer is loaded by who packs.
  const { resolveTarget } = await import('../pack/target.ts');
  const tree = await resolveTarget({ root, ...paths });
  return async (client, service) => {
    const { upload_id } = await uploadTree(context, client, service, tree);
    const { dockerfile: dockerfile_path, context: context_path } = tree;
    return { service_id: service.id, upload_id, dockerfile_path, context_path };
  };
}
