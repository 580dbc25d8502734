/** Packs a tree and streams it to the node, with a line that shows how far it is. */
import type { ServiceResource, UploadResource } from '../../specs/resources.ts';
import type { Client } from '../client.ts';
import type { Context } from '../context.ts';
import { isTerminal } from '../output/colour.ts';
import { cleanLine } from '../output/text.ts';
import type { Target } from '../pack/target.ts';

/** Throws PackError for what is wrong with the tree, CliError for what the node says. */
export async function uploadTree(
  context: Context,
  client: Client,
  service: ServiceResource,
  tree: Target,
): Promise<UploadResource> {
  const [{ pack }, { progressLine }] = await Promise.all([
    import('../pack/pack.ts'),
    import('../pack/progress.ts'),
  ]);
  const { stderr, clock, env } = context;
  const signal = context.interrupted();
  const columns = 'columns' in stderr && typeof stderr.columns === 'number' ? stderr.columns : undefined;
  const line = progressLine(
    { isTTY: isTerminal(stderr), columns, write: (text) => stderr.write(text) },
    clock,
  );
  const { stream, summary } = pack({
    ...tree,
    env,
    signal,
    onProgress: (progress) => line.update(progress),
    onWarning(message) {
      line.clear();
      stderr.write(`${cleanLine(message)}\n`);
    },
  });
  try {
    const upload = await client.upload(service.id, stream, signal);
    line.done(await summary);
    return upload;
  } catch (error) {
    line.clear();
    throw error;
  } finally {
    stream.destroy();
  }
}
