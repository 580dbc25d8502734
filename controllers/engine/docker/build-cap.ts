/**
 * Caps what BuildKit's steps use. The Engine API has no limit for them (`memory` is ignored, unlike the classic
 * builder's), but an engine with the cgroupfs driver puts all of them below one cgroup, `<parent>/buildkit`, and a limit
 * on that holds for what is below. The limit holds for the builds of this engine together and is lifted after the last.
 * Where the cap cannot be had, builds go to the classic builder.
 */
import { constants } from 'node:fs';
import { access, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { BuildRequest } from '../engine.ts';

type Limits = BuildRequest['limits'];

/** Processes and threads of all steps together: a fork bomb ends here. */
const pids = 8_192;
/** Microseconds: the usual period of the kernel's CPU bandwidth control. */
const period = 100_000;

/** @returns lifts the cap. Takes whether a command ran under it, to find out whether it held. */
export type Lift = (ranCommand: boolean) => Promise<void>;

export class BuildCap {
  private readonly root: string;
  private readonly group: string;
  private readonly running = new Set<Limits>();
  private turn: Promise<unknown> = Promise.resolve();
  private proven: 'unknown' | 'ineffective' = 'unknown';

  /**
   * @param parent the engine's cgroup parent
   * @param root where cgroups are mounted
   */
  constructor(parent: string, root = '/sys/fs/cgroup') {
    this.root = root;
    this.group = join(parent, 'buildkit');
  }

  /** Whether a cap can be had here, as far as can be told without setting one. */
  async isPossible(): Promise<boolean> {
    if (this.proven === 'ineffective') return false;
    const file = (await this.isUnified()) ? 'cgroup.subtree_control' : 'memory/memory.limit_in_bytes';
    return access(join(this.root, file), constants.W_OK).then(
      () => true,
      () => false,
    );
  }

  /** @returns undefined where the cap cannot be had */
  async acquire(limits: Limits): Promise<Lift | undefined> {
    if (!(await this.isPossible())) return undefined;
    // A copy: two builds may share the object.
    const mine = { ...limits };
    this.running.add(mine);
    try {
      await this.inTurn(() => this.apply());
      const before = await this.usage();
      return async (ranCommand) => {
        this.running.delete(mine);
        if (ranCommand && (await this.usage()) === before) this.proven = 'ineffective';
        await this.inTurn(() => this.apply());
      };
    } catch {
      // Not writable, not mounted, or more in use than the cap allows: the classic builder is there for that.
      this.running.delete(mine);
      await this.inTurn(() => this.apply()).catch(() => undefined);
      return undefined;
    }
  }

  private inTurn(work: () => Promise<void>): Promise<void> {
    const result = this.turn.then(work);
    this.turn = result.catch(() => undefined);
    return result;
  }

  private async apply(): Promise<void> {
    const sum = [...this.running].reduce(
      (all, { memoryBytes, cpus }) => ({ memoryBytes: all.memoryBytes + memoryBytes, cpus: all.cpus + cpus }),
      { memoryBytes: 0, cpus: 0 },
    );
    const limits = this.running.size === 0 ? undefined : sum;
    await ((await this.isUnified()) ? this.applyUnified(limits) : this.applyLegacy(limits));
  }

  /** cgroup v1: a hierarchy per controller. */
  private async applyLegacy(limits: Limits | undefined): Promise<void> {
    const [memory, cpu, processes] = ['memory', 'cpu', 'pids'].map((controller) =>
      join(this.root, controller, this.group),
    ) as [string, string, string];
    for (const directory of [memory, cpu, processes]) await mkdir(directory, { recursive: true });
    if ((await readFile(join(memory, 'memory.use_hierarchy'), 'utf8')).trim() === '0')
      throw new Error('the memory cgroup does not count its children');
    const bytes = String(limits?.memoryBytes ?? -1);
    // Memory and swap together may never be less than memory, so it is out of the way first.
    await writeIfThere(join(memory, 'memory.memsw.limit_in_bytes'), '-1');
    await writeFile(join(memory, 'memory.limit_in_bytes'), bytes);
    await writeIfThere(join(memory, 'memory.memsw.limit_in_bytes'), bytes);
    await writeFile(join(cpu, 'cpu.cfs_period_us'), String(period));
    await writeFile(join(cpu, 'cpu.cfs_quota_us'), limits ? quota(limits) : '-1');
    await writeFile(join(processes, 'pids.max'), limits ? String(pids) : 'max');
  }

  /** cgroup v2: one hierarchy, in which every level hands controllers down. */
  private async applyUnified(limits: Limits | undefined): Promise<void> {
    const directory = join(this.root, this.group);
    await mkdir(directory, { recursive: true });
    const levels = this.group.split('/').filter((level) => level !== '');
    for (let depth = 0; depth < levels.length; depth++)
      await writeFile(
        join(this.root, ...levels.slice(0, depth), 'cgroup.subtree_control'),
        '+memory +cpu +pids',
      );
    await writeFile(join(directory, 'memory.max'), limits ? String(limits.memoryBytes) : 'max');
    await writeIfThere(join(directory, 'memory.swap.max'), limits ? '0' : 'max');
    await writeFile(join(directory, 'cpu.max'), `${limits ? quota(limits) : 'max'} ${period}`);
    await writeFile(join(directory, 'pids.max'), limits ? String(pids) : 'max');
  }

  /** Processor time that was used below the cgroup: grows whenever a command runs there. */
  private async usage(): Promise<string> {
    if (!(await this.isUnified()))
      return readFile(join(this.root, 'cpuacct', this.group, 'cpuacct.usage'), 'utf8').catch(() => '0');
    const stat = await readFile(join(this.root, this.group, 'cpu.stat'), 'utf8');
    return /^usage_usec (\d+)$/m.exec(stat)?.[1] ?? '';
  }

  private isUnified(): Promise<boolean> {
    return access(join(this.root, 'cgroup.controllers')).then(
      () => true,
      () => false,
    );
  }
}

function quota({ cpus }: Limits): string {
  // 1 ms is the least that the kernel takes.
  return String(Math.max(1_000, Math.round(cpus * period)));
}

/** Kernels without swap accounting lack the file. */
async function writeIfThere(file: string, text: string): Promise<void> {
  const there = await access(file).then(
    () => true,
    () => false,
  );
  if (there) await writeFile(file, text);
}
