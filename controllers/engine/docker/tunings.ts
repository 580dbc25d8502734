/**
 * What else than its limits `docker update` can change of a container, and what puts it back. svc sets none of these, so the
 * engine's own value is what is wanted. Pure.
 *
 * An update takes 0 and "" for "as it is" (moby, container/container_unix.go, UpdateContainer): only what has another way to
 * say "as usual" can be set back. The rest stays on record and comes into force with the next start, whatever runs now.
 */
import { Type, type Static } from '@sinclair/typebox';
import { formatBytes } from '../../../specs/bytes.ts';
import type { Tuning } from '../tuning.ts';

/** What of an engine's machine decides what is usual there. */
export interface Machine {
  /** Processors; undefined where the engine does not say. */
  cpus: number | undefined;
  cgroup: 'v1' | 'v2';
  /** Whether its kernel can limit swap; where it cannot, the engine notes -1 whatever it is asked for. */
  limitsSwap: boolean;
}

const count = Type.Optional(Type.Integer());
const text = Type.Optional(Type.String());

/** Part of `HostConfig`. */
export const Tuned = Type.Object({
  Memory: count,
  NanoCpus: count,
  ...{ MemorySwap: count, MemoryReservation: count, KernelMemory: count },
  ...{ CpuShares: count, CpuPeriod: count, CpuQuota: count, CpusetCpus: text, CpusetMems: text },
  ...{ CpuRealtimePeriod: count, CpuRealtimeRuntime: count, BlkioWeight: count },
});
type Tuned = Static<typeof Tuned>;

interface Found extends Tuning {
  /** Part of the body of an update that sets it back; null where there is none. */
  reset: object | null;
}

/** The shares of a container that was given none (cgroup v1). */
const usualShares = 1024;
/** Microseconds of a period, unless another one is set. */
const usualPeriod = 100_000;

export function tuningsOf(tuned: Tuned, machine: Machine): Tuning[] {
  return find(tuned, machine).map(({ words, lasting }) => ({ words, lasting }));
}

/** Part of the body of an update, beside the limits. */
export function resetsOf(tuned: Tuned, machine: Machine): object {
  return Object.assign({}, ...find(tuned, machine).map(({ reset }) => reset)) as object;
}

function find(tuned: Tuned, machine: Machine): Found[] {
  return [...ofMemory(tuned, machine), ...ofProcessors(tuned, machine), ...ofDisks(tuned)];
}

/** @param reset null: nothing can set it back */
function found(words: string, reset: object | null): Found[] {
  return [{ words, lasting: reset === null, reset }];
}

function ofMemory(tuned: Tuned, { cgroup, limitsSwap }: Machine): Found[] {
  const { Memory = 0, MemorySwap = 0, MemoryReservation: reserved = 0, KernelMemory: kernel = 0 } = tuned;
  const swap = MemorySwap === -1 ? 'unlimited' : formatBytes(Math.max(0, MemorySwap - Memory));
  return [
    // The limits say what it is to be.
    ...(limitsSwap && Memory > 0 && MemorySwap !== Memory ? found(`swap ${swap}`, {}) : []),
    // -1 is no reservation by v1, and as much as there is by v2.
    ...(reserved > 0
      ? found(
          `memory reservation ${formatBytes(reserved)}`,
          cgroup === 'v1' ? { MemoryReservation: -1 } : null,
        )
      : []),
    ...(kernel > 0 ? found(`kernel memory ${formatBytes(kernel)}`, null) : []),
  ];
}

function ofProcessors(tuned: Tuned, machine: Machine): Found[] {
  const { CpuRealtimePeriod: period = 0, CpuRealtimeRuntime: runtime = 0 } = tuned;
  return [
    ...ofShares(tuned, machine),
    ...ofSets(tuned, machine),
    ...(hasOtherQuota(tuned) ? found('a cpu quota', null) : []),
    ...(period !== 0 || runtime !== 0 ? found('a real-time cpu budget', null) : []),
  ];
}

/** What v2 makes of shares is never quite the weight of a container that was given none. */
function ofShares({ CpuShares: shares = 0 }: Tuned, { cgroup }: Machine): Found[] {
  if (shares === 0 || (cgroup === 'v1' && shares === usualShares)) return [];
  return found(`cpu shares ${shares}`, cgroup === 'v1' ? { CpuShares: usualShares } : null);
}

function ofSets({ CpusetCpus: set = '', CpusetMems: nodes = '' }: Tuned, { cpus }: Machine): Found[] {
  const all = cpus === undefined ? undefined : cpus === 1 ? '0' : `0-${cpus - 1}`;
  return [
    ...(set !== '' && set !== all
      ? found(`processors ${set} only`, all === undefined ? null : { CpusetCpus: all })
      : []),
    ...(nodes !== '' ? found(`memory nodes ${nodes} only`, null) : []),
  ];
}

/** Podman writes down the quota that the processors come to. */
function hasOtherQuota({ NanoCpus = 0, CpuPeriod = 0, CpuQuota = 0 }: Tuned): boolean {
  if (CpuPeriod === 0 && CpuQuota === 0) return false;
  return Math.abs(CpuQuota / (CpuPeriod || usualPeriod) - NanoCpus / 1e9) > 1e-4;
}

function ofDisks({ BlkioWeight: weight = 0 }: Tuned): Found[] {
  return weight === 0 ? [] : found(`disk weight ${weight}`, null);
}
