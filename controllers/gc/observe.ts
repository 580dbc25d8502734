/**
 * Reads everything there is in the name of this node, and every row. Reads only.
 *
 * Rows are written before their effects and go after them. So the engine and the disk are asked first: what is there then
 * and no row speaks of afterwards is nobody's. (Containers are found by their events: replica/ and run/ see to them.)
 */
import type { Store } from '../../api/store/store.ts';
import type { Clock } from '../../specs/clock.ts';
import type { Row } from '../../specs/index.ts';
import type { Engine, ImageState, NetworkState, VolumeState } from '../engine/engine.ts';
import type { NotedTag, TagNotes } from '../engine/tags.ts';
import type { EngineUsage } from '../engine/usage.ts';
import type { Files, StoredFile } from './files.ts';

export interface Rows {
  projects: Row<'Project'>[];
  services: Row<'Service'>[];
  deployments: Row<'Deployment'>[];
  jobs: Row<'Job'>[];
  runs: Row<'Run'>[];
  uploads: Row<'Upload'>[];
  volumes: Row<'Volume'>[];
}

export interface Observed {
  /** Those that carry the label of this node, and nothing else of the engine. */
  images: ImageState[];
  /** Others that this node has tagged: `own` are its tags, `tags` all of them. */
  tagged: (ImageState & { own: string[] })[];
  /** Tags that this node has put on images some time ago, and that the engine has no more. */
  oldNotes: string[];
  networks: NetworkState[];
  volumes: VolumeState[];
  files: StoredFile[];
  usage: EngineUsage;
  rows: Rows;
}

export interface ObserveDeps {
  store: Pick<Store, 'list'>;
  engine: Pick<Engine, 'listNetworks' | 'listImages' | 'listVolumes'>;
  files: Pick<Files, 'list'>;
  tagNotes: Pick<TagNotes, 'list'>;
  nodeId: string;
  clock: Pick<Clock, 'now'>;
}

/** Milliseconds in which a tag that was noted is put on its image: a call that was given up may still do so. */
const taggingMs = 24 * 3_600_000;

export async function observe(
  usage: EngineUsage,
  { store, engine, files, tagNotes, nodeId, clock }: ObserveDeps,
): Promise<Observed> {
  const labels = { 'svc.node': nodeId };
  const networks = await engine.listNetworks();
  const images = await engine.listImages(labels);
  const notes = await tagNotes.list();
  const all = notes.length === 0 ? [] : await engine.listImages({});
  const volumes = await engine.listVolumes(labels);
  const stored = await files.list();
  const [projects, services, deployments, jobs, runs, uploads, volumeRows] = await Promise.all([
    ...([store.list('Project'), store.list('Service'), store.list('Deployment'), store.list('Job')] as const),
    ...([store.list('Run'), store.list('Upload'), store.list('Volume')] as const),
  ]);
  return {
    ...{ images, tagged: taggedBy(notes, all, images), volumes, files: stored, usage },
    oldNotes: notes
      .filter(({ tag, at }) => clock.now() - at >= taggingMs && !all.some(({ tags }) => tags.includes(tag)))
      .map(({ tag }) => tag),
    networks: networks.filter((network) => network.labels['svc.node'] === nodeId),
    rows: { projects, services, deployments, jobs, runs, uploads, volumes: volumeRows },
  };
}

function taggedBy(
  notes: readonly NotedTag[],
  all: readonly ImageState[],
  labelled: readonly ImageState[],
): Observed['tagged'] {
  const [noted, known] = [new Set(notes.map(({ tag }) => tag)), new Set(labelled.map(({ id }) => id))];
  return all.flatMap(({ id, tags }) => {
    const own = tags.filter((tag) => noted.has(tag));
    return own.length === 0 || known.has(id) ? [] : [{ id, tags, own }];
  });
}
