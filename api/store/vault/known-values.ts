/** Values that are known to be secret, by project: what masks are made of. In memory only; knows no database. */
import type { SealedKind, SealedRef } from '../vault.ts';

export interface KnownValues {
  set(ref: SealedRef, project: string, value: string): void;
  drop(ref: SealedRef, project: string): void;
  /** Each value once. The same array until something of the project changes. */
  of(project: string): readonly string[];
}

/** What may turn up in an output of a project. Keys of certificates reach no workload and no build. */
export const maskedKinds: readonly SealedKind[] = ['env', 'registry-password', 'deploy-key'];

const none: readonly string[] = [];

export function knownValues(): KnownValues {
  const projects = new Map<string, Map<string, string>>();
  const lists = new Map<string, readonly string[]>();
  return {
    set(ref, project, value) {
      if (!maskedKinds.includes(ref.kind)) return;
      const values = projects.get(project) ?? new Map<string, string>();
      projects.set(project, values.set(keyOf(ref), value));
      lists.delete(project);
    },
    drop(ref, project) {
      const values = projects.get(project);
      if (!values?.delete(keyOf(ref))) return;
      if (values.size === 0) projects.delete(project);
      lists.delete(project);
    },
    of(project) {
      const values = projects.get(project);
      if (!values) return none;
      const list = lists.get(project) ?? [...new Set(values.values())];
      lists.set(project, list);
      return list;
    },
  };
}

function keyOf({ kind, owner, name, version }: SealedRef): string {
  return JSON.stringify([kind, owner, name, version]);
}
