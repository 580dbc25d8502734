/** Amounts of bytes for people. Without any import: the client loads it. */

/** `1.5 MiB` */
export function formatBytes(bytes: number): string {
  const steps = ['B', 'KiB', 'MiB', 'GiB', 'TiB'];
  let value = bytes;
  let step = 0;
  for (; value >= 1024 && step < steps.length - 1; step++) value /= 1024;
  return `${step === 0 ? value : value.toFixed(1)} ${steps[step] ?? ''}`;
}
