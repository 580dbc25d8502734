/** Volumes of the fake engine. */
import { EngineError, type Labels, type Mount, type VolumeState } from '../../controllers/engine/engine.ts';
import { carries } from './fake-networks.ts';

export class FakeVolumes {
  private readonly volumes = new Map<string, VolumeState>();

  list(labels: Labels = {}): VolumeState[] {
    return [...this.volumes.values()].filter((volume) => carries(volume.labels, labels));
  }

  /** A real engine makes a volume that is not there: nobody may rely on that. */
  expect(mounts: readonly Mount[]): void {
    for (const mount of mounts)
      if ('volume' in mount && !this.volumes.has(mount.volume))
        throw new Error(`fake engine: nobody has made the volume ${mount.volume}`);
  }

  ensure(spec: VolumeState): void {
    const found = this.volumes.get(spec.name);
    if (found && !carries(found.labels, spec.labels))
      throw new EngineError('conflict', `A volume ${spec.name} that is not ours exists: remove or rename it`);
    if (!found) this.volumes.set(spec.name, { name: spec.name, labels: { ...spec.labels } });
  }

  /** @param isUsed whether a container has it */
  remove(name: string, isUsed: boolean): void {
    if (isUsed) throw new EngineError('conflict', 'The volume is in use: remove its containers first');
    this.volumes.delete(name);
  }
}
