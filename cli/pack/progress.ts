/** One line about a pack under way: redrawn on a terminal; elsewhere only what it came to. Draws, and knows nothing of packing. */
import type { Clock } from '../../specs/clock.ts';
import { grouped } from '../output/grouped.ts';
import type { PackProgress, PackSummary } from './pack.ts';

/** Standard error, or what stands for it. */
export interface ProgressOutput {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

export interface ProgressLine {
  update(progress: PackProgress): void;
  /** The last line. */
  done(summary: PackSummary): void;
  /** Takes the line away, before a message about what went wrong. */
  clear(): void;
}

/** Milliseconds between two drawings. */
const interval = 100;
const barWidth = 20;

const units = ['B', 'kB', 'MB', 'GB', 'TB'];

/** `1.2 MB`, decimal units. */
export function formatBytes(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 99.95 ? value.toFixed(0) : value.toFixed(1)} ${units[unit] ?? ''}`;
}

/** `3.2s`, `1m05s`. */
export function formatSeconds(ms: number): string {
  const seconds = ms / 1000;
  if (seconds < 59.95) return `${seconds.toFixed(1)}s`;
  const whole = Math.round(seconds);
  return `${Math.floor(whole / 60)}m${String(whole % 60).padStart(2, '0')}s`;
}

const count = (files: number): string => `${grouped(files)} ${files === 1 ? 'file' : 'files'}`;

const rate = (bytes: number, ms: number): string => `${formatBytes(ms > 0 ? (bytes * 1000) / ms : 0)}/s`;

/** As much of the line as the width holds, the least important gone first: bar, rate, time, files. */
export function progressText(progress: PackProgress, ms: number, columns: number): string {
  const { files, bytes, totalFiles, totalBytes } = progress;
  const share = totalBytes > 0 ? bytes / totalBytes : 1;
  const filled = Math.floor(share * barWidth);
  const bar = `[${'#'.repeat(filled)}${'.'.repeat(barWidth - filled)}]`;
  const percent = `${Math.floor(share * 100)}%`.padStart(4);
  const size = `${formatBytes(bytes)} of ${formatBytes(totalBytes)}`;
  const number = `${grouped(files)}/${count(totalFiles)}`;
  const speed = rate(bytes, ms);
  const time = formatSeconds(ms);
  const lines = [
    ['Pushing', bar, percent, ' ', number, ' ', size, ' ', speed, ' ', time],
    ['Pushing', percent, ' ', number, ' ', size, ' ', speed, ' ', time],
    ['Pushing', percent, ' ', number, ' ', size, ' ', time],
    ['Pushing', percent, ' ', number, ' ', size],
    ['Pushing', percent, ' ', size],
    ['Pushing', percent],
  ].map((parts) => parts.join(' '));
  // The last column stays empty: some terminals wrap when it is written.
  return lines.find((line) => line.length < columns) ?? '';
}

/** `Pushed 12 files, 3.4 MB (1.1 MB compressed) in 0.4s, 8.5 MB/s`. */
export function summaryText(summary: PackSummary, ms: number): string {
  const { files, bytes, compressedBytes } = summary;
  const sizes = `${formatBytes(bytes)} (${formatBytes(compressedBytes)} compressed)`;
  return `Pushed ${count(files)}, ${sizes} in ${formatSeconds(ms)}, ${rate(bytes, ms)}`;
}

/** @param clock the time that rates and the time between drawings are measured with */
export function progressLine(output: ProgressOutput, clock: Pick<Clock, 'now'>): ProgressLine {
  const start = clock.now();
  let drawn = -Infinity;
  const clear = (): void => {
    if (drawn !== -Infinity) output.write('\r\u001B[K');
    drawn = -Infinity;
  };
  return {
    update(progress) {
      const now = clock.now();
      if (output.isTTY !== true || now - drawn < interval) return;
      drawn = now;
      output.write(`\r${progressText(progress, now - start, output.columns ?? 80)}\u001B[K`);
    },
    done(summary) {
      clear();
      output.write(`${summaryText(summary, clock.now() - start)}\n`);
    },
    clear,
  };
}
