/** Builds of the fake engine: they follow a script. */
import { EngineError, type BuildRequest } from '../../controllers/engine/engine.ts';
import { drain } from './build-context.ts';
import type { Program } from './fake-container.ts';

/** What a build does. Its image then runs `image`. */
export interface BuildScript {
  lines?: readonly (string | { stream: 'stdout' | 'stderr'; line: string })[];
  /** Message of the failure. */
  fails?: string;
  /** Goes on until it is aborted. */
  hangs?: true;
  image?: Program;
}

/** Throws EngineError as the script, or the signal, has it. */
export async function follow(
  { lines = [], hangs, fails }: BuildScript,
  { signal, context, mask: makeMask, onLine }: BuildRequest,
): Promise<void> {
  const aborted = () => signal.aborted;
  if (aborted()) throw new EngineError('aborted', 'The build was aborted');
  await drain(context);
  const mask = makeMask?.();
  for (const said of lines) {
    const { stream, line } = typeof said === 'string' ? { stream: 'stdout' as const, line: said } : said;
    onLine({ stream, line: mask?.(stream, line) ?? line });
  }
  if (hangs) await new Promise((resolve) => signal.addEventListener('abort', resolve, { once: true }));
  if (aborted()) throw new EngineError('aborted', 'The build was aborted');
  if (fails !== undefined) throw new EngineError('refused', fails);
}
