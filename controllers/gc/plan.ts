/**
 * Decides what nothing refers to any more, and says why. Pure. Whatever a kept deployment needs is spoken of by a row and
 * is never in it: which deployments those are is decided in one place (specs/kept-deployments.ts).
 */
import type { GarbageItem, GarbageKind } from '../../specs/gc.ts';
import type { Row } from '../../specs/index.ts';
import { isOver } from '../../specs/job.ts';
import { dispensable } from '../../specs/kept-deployments.ts';
import { isSettled } from '../../specs/deployment.ts';
import { imageTag, jobImageTag, networkName, volumeName } from '../engine/names.ts';
import type { StoredFile } from './files.ts';
import type { Observed, Rows } from './observe.ts';
import type { Step } from './steps.ts';

/** Something that nothing needs; without a step it is only reported. */
export interface Garbage {
  kind: GarbageKind;
  name: string;
  bytes: number | null;
  reason: string;
  step?: Step;
  /** On this disk: what it takes is found out where it matters. */
  path?: string;
}

export interface Rules {
  nodeId: string;
  /** Whether the engine is this node's alone, its build cache included. */
  isPrivateEngine: boolean;
  /** Milliseconds that a record of the build cache may be unused. */
  cacheAgeMs: number;
  /** Milliseconds since the epoch. */
  now: number;
}

/** Milliseconds in which a file may have no row yet: it is written first, and an upload is checked to its end before. */
const fileAgeMs = 10 * 60_000;

/** The biggest first. */
export function plan(observed: Observed, rules: Rules): Garbage[] {
  const found = [
    ...images(observed),
    ...networks(observed, rules),
    ...volumes(observed, rules),
    ...files(observed, rules),
    ...buildCache(observed, rules),
  ];
  // A store without a project is new, or not the one that all this was made by: it is no reason to take anything.
  const all = observed.rows.projects.length > 0 ? found : found.map(untaken);
  return all.sort((a, b) => (b.bytes ?? 0) - (a.bytes ?? 0) || a.name.localeCompare(b.name));
}

function untaken({ kind, name, bytes, reason, path }: Garbage): Garbage {
  const said = `${reason} The store has no project at all, so nothing is taken on its word.`;
  return { kind, name, bytes, reason: said, ...(path === undefined ? {} : { path }) };
}

export function toItem({ kind, name, bytes, reason, step }: Garbage): GarbageItem {
  const action = step ? 'remove' : 'report';
  return { kind, name, bytes, reason, action, removed: false, error: null };
}

function images({ images: there, tagged, usage, rows }: Observed): Garbage[] {
  const deployments = new Map(rows.deployments.map((row) => [imageTag(row), row]));
  const jobs = new Set(rows.jobs.map(({ id }) => jobImageTag(id)));
  const spent = spentDeployments(rows);
  const contents = contentsInUse(rows);
  // Those that carry the label were built here; the others were pulled, and have no part in the cache.
  const built = there.map((image) => ({ ...image, own: image.tags, more: cacheNote(usage) }));
  const all = [...built, ...tagged.map((image) => ({ ...image, more: '' }))];
  return all.flatMap(({ id, tags, own, more }): Garbage[] => {
    const bytes = usage.images.get(id) ?? null;
    if (tags.length === 0) {
      if (contents.has(id)) return [];
      const reason = `A build left it without a tag, and nothing runs it.${more}`;
      return [{ kind: 'image', name: id, bytes, reason, step: { do: 'removeImage', reference: id } }];
    }
    const loose = own.flatMap((tag): Garbage[] => {
      const row = deployments.get(tag);
      if (jobs.has(tag) || (row && !spent.has(row.id))) return [];
      const reason = row
        ? `Deployment ${row.spec.number} of its service is over, and is not kept for a rollback.`
        : 'Its deployment is gone.';
      const step: Step = { do: 'removeImage', reference: tag, ...(row ? { deploymentId: row.id } : {}) };
      return [{ kind: 'image', name: tag, bytes: 0, reason, step }];
    });
    // Its bytes go with its last tag.
    return loose.map((item, index) =>
      loose.length === tags.length && index === loose.length - 1
        ? { ...item, bytes, reason: `${item.reason}${more}` }
        : item,
    );
  });
}

/**
 * An engine gives a layer that an image and its build cache share up with the later of them, and does not say which layers
 * these are (moby, `/system/df`): what an image takes may come free with the cache only.
 */
function cacheNote({ buildCache }: Observed['usage']): string {
  const isShared = buildCache.some(({ isNeeded, bytes }) => isNeeded && bytes > 0);
  return isShared ? ' What the build cache holds of it comes free when that is pruned.' : '';
}

/** Over, not kept, and without a claim to its image. One that is to give it up still has one; its service sees to that. */
function spentDeployments({ services, deployments, runs }: Rows): Set<string> {
  const byService = Map.groupBy(deployments, ({ spec }) => spec.service_id);
  const needed = runs
    .filter(({ status }) => !isOver(status.phase))
    .flatMap(({ spec }) => spec.deployment_id ?? []);
  const spent = services.flatMap((service) => dispensable(service, byService.get(service.id) ?? [], needed));
  return new Set(spent.filter(({ status }) => status.image === null).map(({ id }) => id));
}

/** Content ids that a row names, whatever their tags. */
function contentsInUse({ deployments, runs }: Rows): Set<string> {
  const ofRuns = runs
    .filter(({ status }) => !isOver(status.phase))
    .flatMap(({ spec, status }) => [spec.image, status.image]);
  const all = [...deployments.map(({ status }) => status.image), ...ofRuns];
  return new Set(all.filter((image) => image !== null));
}

function networks({ networks: there, rows }: Observed, { nodeId }: Rules): Garbage[] {
  // By the name that one is going to have as well: it may be there before the row says so.
  const names = new Set(rows.projects.flatMap((row) => [row.status.network_name, networkName(nodeId, row)]));
  return there
    .filter(({ name }) => !names.has(name))
    .map(({ id, name }) => ({
      ...{ kind: 'network', name, bytes: 0, reason: 'Its project is gone.' },
      step: { do: 'removeNetwork', id },
    }));
}

/** Data of people: whoever owns it destroys it, nobody else. */
function volumes({ volumes: there, usage, rows }: Observed, { nodeId }: Rules): Garbage[] {
  // As with networks: one may be there before its row says so.
  const names = new Map(rows.volumes.map((row) => [row.status.engine_name ?? volumeName(nodeId, row), row]));
  return there.flatMap(({ name }): Garbage[] => {
    const bytes = usage.volumes.get(name) ?? null;
    const row = names.get(name);
    if (!row) {
      const reason =
        'The store knows it no more. It is never taken: look what is in it, then remove it at the engine.';
      return [{ kind: 'volume', name, bytes, reason }];
    }
    // One that is being destroyed is its own controller's.
    if (row.deleted_at !== null || rows.services.some((service) => isVolumeOf(row, service))) return [];
    const reason = `It is of ${row.spec.service}, which is no service any more. It is never taken: its data may be wanted back.`;
    return [{ kind: 'volume', name, bytes, reason }];
  });
}

function isVolumeOf({ spec }: Row<'Volume'>, { owner, name, deleted_at: deleted }: Row<'Service'>): boolean {
  return owner === spec.project_id && name === spec.service && deleted === null;
}

const fileReasons = {
  upload: 'It was left half-way: no upload has it.',
  'git-clone': 'Its build is over.',
  'deployment-log': 'Its deployment is gone.',
  'run-log': 'Its run is gone.',
  'workload-log': 'The deployment that printed it is gone.',
} as const;

function files({ files: there, rows }: Observed, { now }: Rules): Garbage[] {
  const building = rows.deployments.filter(({ status }) => !isSettled(status.phase));
  const idsOf = (all: readonly { id: string }[]): Set<string> => new Set(all.map(({ id }) => id));
  const deployments = idsOf(rows.deployments);
  const wanted = {
    upload: idsOf(rows.uploads),
    'git-clone': idsOf(building),
    'deployment-log': deployments,
    'run-log': idsOf(rows.runs),
    'workload-log': deployments,
  };
  return there
    .filter(({ kind, id, modifiedAt }) => !wanted[kind].has(id) && now - modifiedAt >= fileAgeMs)
    .map((file) => {
      const { kind, id, path, serviceId } = file;
      const name = serviceId === undefined ? id : `${serviceId}/${id}`;
      return { kind, name, bytes: null, reason: fileReasons[kind], step: removal(file), path };
    });
}

function removal({ kind, id, serviceId = '', path }: StoredFile): Step {
  switch (kind) {
    case 'upload':
      return { do: 'removeUpload', id };
    case 'git-clone':
      return { do: 'removeClone', path };
    case 'deployment-log':
      return { do: 'removeDeploymentLog', id };
    case 'run-log':
      return { do: 'removeRunLog', id };
    case 'workload-log':
      return { do: 'removeWorkloadLog', serviceId, deploymentId: id };
  }
}

/** BuildKit does not say who made a record: on an engine that others may use, none of them is ours to drop. */
function buildCache({ usage }: Observed, { isPrivateEngine, cacheAgeMs, now }: Rules): Garbage[] {
  const old = usage.buildCache.filter(
    ({ isNeeded, lastUsedAt }) =>
      !isNeeded && (lastUsedAt === null || now - Date.parse(lastUsedAt) >= cacheAgeMs),
  );
  const bytes = old.reduce((sum, record) => sum + record.bytes, 0);
  if (bytes === 0) return [];
  const cache = { kind: 'build-cache', name: `${old.length} records`, bytes } as const;
  if (isPrivateEngine)
    return [
      {
        ...{ ...cache, reason: 'No build has used it for a while.' },
        step: { do: 'pruneBuildCache', unusedForMs: cacheAgeMs },
      },
    ];
  const reason =
    'No build has used it for a while. It is never taken: the cache is of all who build at this engine (docker builder prune).';
  return [{ ...cache, reason }];
}
