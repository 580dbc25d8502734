/** Durations as people write them: `500ms`, `30s`, `2m`, `1h`, `7d`, or several parts together (`1m30s`). */
import { Type, type Static } from '@sinclair/typebox';

const units = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

export const Duration = Type.String({
  pattern: '^(?:\\d{1,9}(?:ms|s|m|h|d))+$',
  maxLength: 40,
  description: 'such as 500ms, 30s, 2m or 1h30m',
});
export type Duration = Static<typeof Duration>;

/** Milliseconds of a valid duration. Throws a RangeError that quotes the text otherwise. */
export function durationMs(text: Duration): number {
  if (!/^(?:\d{1,9}(?:ms|s|m|h|d))+$/.test(text)) {
    throw new RangeError(`"${text}" is no duration: write something like 500ms, 30s, 2m or 1h30m`);
  }
  let total = 0;
  for (const [, count, unit] of text.matchAll(/(\d+)(ms|[smhd])/g)) {
    total += Number(count) * units[unit as keyof typeof units];
  }
  return total;
}
