/** What `svc get` and `svc describe` are about where not all of it is typed: the rest is from the manifest in the working directory. */
import { readManifest } from '../manifest.ts';
import type { Scope } from './kind.ts';
import { scopeOf, type Selection } from './registry.ts';

export interface ScopeOptions {
  project: string | undefined;
  service: string | undefined;
  cwd: string;
}

/**
 * Only what is needed to find what was named is taken from the manifest: a list goes on to be of everything. Throws a usage
 * error where flags and name contradict each other.
 */
export async function scopeHere(selection: Selection, { cwd, ...flags }: ScopeOptions): Promise<Scope> {
  const scope = scopeOf(selection, flags);
  if (!lacksService(selection, scope) && !lacksProject(selection, scope)) return scope;
  const manifest = await readManifest(cwd);
  const service = lacksService(selection, scope) ? manifest.service : scope.service;
  const found = service === undefined ? scope : { ...scope, service };
  return lacksProject(selection, found) ? { ...found, project: manifest.project } : found;
}

/** A deployment by its number. */
function lacksService({ kind }: Selection, { service, name }: Scope): boolean {
  return kind.singular === 'deployment' && service === undefined && /^#?\d+$/.test(name ?? '');
}

function lacksProject({ kind }: Selection, { project, service, name }: Scope): boolean {
  if (project !== undefined) return false;
  const inProject = kind.singular === 'service' || kind.singular === 'job' ? name : service;
  return inProject !== undefined && !/[/_]/.test(inProject);
}
