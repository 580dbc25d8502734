/**
 * Reads everything there is in the name of this node, and every row. Reads only.
 *
 * Rows are written before their effects and go after them. So the engine and the disk are asked first: what is there then
 * and no row speaks of afterwards is nobody's. (Containers are found by their events: replica/ and run/ see to them.)
 */
import type { Store } from '../../api/store/store.ts';
import type { Row } from '../../specs/index.ts';
import type { Engine, ImageState, NetworkState, VolumeState } from '../engine/engine.ts';
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
  nodeId: string;
}

export async function observe(
  usage: EngineUsage,
  { store, engine, files, nodeId }: ObserveDeps,
): Promise<Observed> {
  const labels = { 'svc.node': nodeId };
  const networks = await engine.listNetworks();
  const images = await engine.listImages(labels);
  const volumes = await engine.listVolumes(labels);
  const stored = await files.list();
  const [projects, services, deployments, jobs, runs, uploads, volumeRows] = await Promise.all([
    ...([store.list('Project'), store.list('Service'), store.list('Deployment'), store.list('Job')] as const),
    ...([store.list('Run'), store.list('Upload'), store.list('Volume')] as const),
  ]);
  return {
    ...{ images, volumes, files: stored, usage },
    networks: networks.filter((network) => network.labels['svc.node'] === nodeId),
    rows: { projects, services, deployments, jobs, runs, uploads, volumes: volumeRows },
  };
}
