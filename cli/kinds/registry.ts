/** The kinds that `svc get` and `svc describe` know, and how a word finds one. */
import { usageError } from '../errors.ts';
import { nearest } from '../../specs/nearest.ts';
import { deploymentKind } from './deployment.ts';
import { domainKind } from './domain.ts';
import { jobKind } from './job.ts';
import type { Kind } from './kind.ts';
import { projectKind } from './project.ts';
import { runKind } from './run.ts';
import { serviceKind } from './service.ts';

// A kind is used with its own items only, so what they are does not matter to whoever holds the list.
const kinds = [
  projectKind,
  serviceKind,
  deploymentKind,
  domainKind,
  jobKind,
  runKind,
] as unknown as readonly Kind<unknown>[];

function wordsOf(kind: Kind<unknown>): string[] {
  return [kind.plural, kind.singular, ...kind.aliases];
}

/** By singular, plural or short name, in any case. Throws a usage error that names the kinds there are. */
function kindNamed(word: string): Kind<unknown> {
  const found = kinds.find((kind) => wordsOf(kind).includes(word.toLowerCase()));
  if (found !== undefined) return found;
  const meant = nearest(
    word,
    kinds.flatMap(({ plural, singular }) => [plural, singular]),
  );
  throw usageError(
    `There is no kind "${word}".${meant === undefined ? '' : ` Did you mean "${meant}"?`}`,
    `The kinds are: ${kinds.map(({ plural }) => plural).join(', ')}.`,
  );
}

export interface Selection {
  kind: Kind<unknown>;
  /** Of the one that is wanted. */
  name: string | undefined;
}

/** `KIND`, `KIND NAME` or `KIND/NAME`. */
export function selectionOf(kind: string, name: string | undefined): Selection {
  const slash = kind.indexOf('/');
  if (slash === -1) return { kind: kindNamed(kind), name };
  if (name !== undefined)
    throw usageError(`Write ${kind}, or ${kind.slice(0, slash)} ${name}, but not both.`);
  if (slash === kind.length - 1) throw usageError(`"${kind}" ends where a name should be.`);
  return { kind: kindNamed(kind.slice(0, slash)), name: kind.slice(slash + 1) };
}

/** A scope in which `service shop/web` means service web of project shop. Throws a usage error where -p says another. */
export function scopeOf(
  { kind, name }: Selection,
  flags: { project?: string | undefined; service?: string | undefined },
) {
  if (flags.service !== undefined && !kind.ofService) throw usageError(`-s does not go with ${kind.plural}.`);
  const isInProject = kind.singular === 'service' || kind.singular === 'job';
  if (!isInProject || name?.includes('/') !== true) return { ...flags, name };
  const [project, service] = name.split('/', 2);
  if (flags.project !== undefined && flags.project !== project)
    throw usageError(`-p ${flags.project} and ${name} name two projects.`);
  return { project, name: service };
}
