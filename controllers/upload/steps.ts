/** The effects of an upload's plan. */
import type { Row } from '../../specs/index.ts';
import type { Store } from '../../api/store/store.ts';

export interface Step {
  do: 'remove';
}

export interface StepDeps {
  store: Store;
  /** Removes the staged archive; succeeds when it is gone. */
  uploads: { remove: (uploadId: string) => Promise<void> };
}

/** The file first, then the row: while the row is there, the next pass tries again. */
export async function apply(_step: Step, row: Row<'Upload'>, { store, uploads }: StepDeps): Promise<void> {
  await uploads.remove(row.id);
  await store.write((writer) => writer.purge('Upload', row.id), { lazy: true });
}
