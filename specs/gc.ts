/** Garbage: what nothing refers to any more, what may be done about it, and how full the node's disks are. */
import { Type, type Static } from '@sinclair/typebox';

export const GarbageKind = Type.Union([
  Type.Literal('image'),
  Type.Literal('network'),
  Type.Literal('volume'),
  Type.Literal('build-cache'),
  Type.Literal('upload'),
  Type.Literal('git-clone'),
  Type.Literal('deployment-log'),
  Type.Literal('run-log'),
  Type.Literal('workload-log'),
]);
export type GarbageKind = Static<typeof GarbageKind>;

export const GarbageItem = Type.Object({
  kind: GarbageKind,
  name: Type.String({ description: 'a tag, a name at the engine, or the id of what it belonged to' }),
  bytes: Type.Union([Type.Integer(), Type.Null()], {
    description:
      'what it takes by itself, the layers of an image that the build cache holds as well included; null where the engine does not say',
  }),
  reason: Type.String({ description: 'why nothing needs it, and why it stays where it does' }),
  action: Type.Union([Type.Literal('remove'), Type.Literal('report')], {
    description: 'report: it is never taken; its owner decides',
  }),
  removed: Type.Boolean(),
  error: Type.Union([Type.String(), Type.Null()], { description: 'what kept it from being removed' }),
});
export type GarbageItem = Static<typeof GarbageItem>;

/** What `POST /v1/gc` found, and did. */
export const GarbageReport = Type.Object({
  dry_run: Type.Boolean(),
  items: Type.Array(GarbageItem),
  bytes_would_free: Type.Integer({ description: 'of all that is to be removed' }),
  bytes_freed: Type.Integer({ description: 'of what was removed; 0 in a dry run' }),
});
export type GarbageReport = Static<typeof GarbageReport>;

export const CollectGarbage = Type.Object(
  { dry_run: Type.Optional(Type.Boolean({ description: 'only say what would go; false when absent' })) },
  { additionalProperties: false },
);
export type CollectGarbage = Static<typeof CollectGarbage>;

/** A file system that the node needs room on. */
export const Disk = Type.Object({
  path: Type.String(),
  holds: Type.Array(Type.Union([Type.Literal('data'), Type.Literal('images')])),
  free_bytes: Type.Integer(),
  total_bytes: Type.Integer(),
  floor_bytes: Type.Integer({ description: 'with less than this free, pushes and deploys are refused' }),
});
export type Disk = Static<typeof Disk>;
