/** Labels as the engine writes them. Pure. */
import { Type } from '@sinclair/typebox';
import type { Labels as EngineLabels } from '../engine.ts';

/** An engine writes `null` for none. */
export const Labels = Type.Optional(Type.Union([Type.Null(), Type.Record(Type.String(), Type.String())]));

/** Whether `labels` has every label that is wanted, with its value. */
export function carries(labels: EngineLabels, wanted: EngineLabels): boolean {
  return Object.entries(wanted).every(([key, value]) => labels[key] === value);
}

/** As the `filters` parameter of the engine's lists takes them. */
export function labelFilter(labels: EngineLabels): string[] {
  return Object.entries(labels).map(([key, value]) => `${key}=${value}`);
}
