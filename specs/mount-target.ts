/** Where in a workload something may be mounted. Pure. */
import { isPlainPath, isWithin } from './host-path.ts';

/** Where a `listen: socket` workload finds the directory that it owns. */
export const socketMount = '/run/svc';

/**
 * What the kernel, the engine and svc itself put into a workload. To mount over it takes away what keeps workloads apart
 * (masked files of /proc and /sys), or what svc reaches them by.
 */
const reserved = ['/proc', '/sys', '/dev', socketMount];

/** What is wrong with a target, as it reads after its name; undefined: nothing. @param others targets of the same workload */
export function targetFault(target: string, others: readonly string[]): string | undefined {
  if (target === '/') return 'must not be /: name a directory in the workload';
  if (!isPlainPath(target)) return 'must be written out: no ., no .., no empty part and no / at the end';
  const kept = reserved.find((path) => isWithin(target, path) || isWithin(path, target));
  if (kept !== undefined) return `must lie elsewhere: ${kept} belongs to the node`;
  const other = others.find((path) => isWithin(target, path) || isWithin(path, target));
  return other === undefined
    ? undefined
    : `must not be, lie in, or hold ${other}, where something else is mounted`;
}
