/** Reads everything a pass over one volume decides on. Reads only. */
import type { Row } from '../../specs/index.ts';
import type { Engine } from '../engine/engine.ts';

export interface Observed {
  /** Names of what the engine has of it. */
  there: string[];
}

export interface ObserveDeps {
  engine: Pick<Engine, 'listVolumes'>;
  nodeId: string;
}

export async function observe(row: Row<'Volume'>, { engine, nodeId }: ObserveDeps): Promise<Observed> {
  const volumes = await engine.listVolumes({ 'svc.node': nodeId, 'svc.volume': row.id });
  return { there: volumes.map(({ name }) => name) };
}
