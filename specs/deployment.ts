/** Deployment: one immutable build plus release of a service. Its spec never changes but for `stopped`. */
import { Type, type Static } from '@sinclair/typebox';
import { Condition } from './conditions.ts';
import { DeploymentReason } from './reasons.ts';
import { Workload } from './workload.ts';

/**
 * ```
 * Pending → Building → Starting → Healthy → Inactive   a newer one was promoted (kept for rollback)
 *    │          │          │         └────→ Stopped    somebody stopped it
 *    │          ├──────────┴→ Failed                   final
 *    └──────────┴──────────┴→ Stopped                  cancelled, or superseded before it was promoted
 * Inactive | Stopped → Starting                        rollback or start: no build
 * ```
 */
export const DeploymentPhase = Type.Union([
  Type.Literal('Pending'),
  Type.Literal('Building'),
  Type.Literal('Starting'),
  Type.Literal('Healthy'),
  Type.Literal('Failed'),
  Type.Literal('Stopped'),
  Type.Literal('Inactive'),
]);
export type DeploymentPhase = Static<typeof DeploymentPhase>;

/** A phase in which nothing more will happen by itself. */
export function isSettled(phase: DeploymentPhase): boolean {
  return phase === 'Healthy' || phase === 'Failed' || phase === 'Stopped' || phase === 'Inactive';
}

export const ContextPath = Type.String({
  maxLength: 1024,
  description: 'a path inside the uploaded tree, relative to its root',
});

export const UploadSource = Type.Object(
  { upload_id: Type.String(), dockerfile_path: ContextPath, context_path: ContextPath },
  { additionalProperties: false },
);
export type UploadSource = Static<typeof UploadSource>;

/** Where the artifact comes from. External images and Git follow as further members. */
export const DeploymentSource = Type.Object({ upload: UploadSource }, { additionalProperties: false });
export type DeploymentSource = Static<typeof DeploymentSource>;

export const DeploymentSpec = Type.Object(
  {
    service_id: Type.String(),
    project_id: Type.String(),
    /** 1, 2, 3, … within the service. */
    number: Type.Integer({ minimum: 1 }),
    source: DeploymentSource,
    /** Id of the deployment whose image this one runs: a changed configuration needs no build. Null: it is built. */
    reuse: Type.Union([Type.String(), Type.Null()]),
    workload: Workload,
    /** Somebody asked that this one stop. The only field that changes. */
    stopped: Type.Boolean(),
  },
  { additionalProperties: false },
);
export type DeploymentSpec = Static<typeof DeploymentSpec>;

export const DeploymentStatus = Type.Object({
  phase: DeploymentPhase,
  reason: Type.String(),
  message: Type.String(),
  /** Content id of the image at the engine (`sha256:…`); null until it is built. */
  image: Type.Union([Type.String(), Type.Null()]),
  /** When the release that is under way (or was the last) began. */
  starting_at: Type.Union([Type.String(), Type.Null()]),
  building_at: Type.Union([Type.String(), Type.Null()]),
  /** When it was last promoted. */
  promoted_at: Type.Union([Type.String(), Type.Null()]),
  /** The epoch whose replicas routing points at; null while none is. */
  epoch: Type.Union([Type.Integer(), Type.Null()]),
  /** A restart to this epoch did not become healthy; the replicas before it went on. */
  failed_epoch: Type.Union([Type.Integer(), Type.Null()]),
  conditions: Type.Array(Condition),
});
export type DeploymentStatus = Static<typeof DeploymentStatus>;

/**
 * Whether a deployment may run, now or after a rollback: it is under way, or has an image to go back to. The versions of
 * secrets that it has frozen are kept that long.
 */
export function mayRun({ phase, image }: Pick<DeploymentStatus, 'phase' | 'image'>): boolean {
  return phase !== 'Failed' && (image !== null || !isSettled(phase));
}

/** The status of a deployment that was just asked for. */
export const askedFor: DeploymentStatus = {
  phase: 'Pending',
  reason: DeploymentReason.Queued,
  message: 'Waiting to be built.',
  image: null,
  starting_at: null,
  building_at: null,
  promoted_at: null,
  epoch: null,
  failed_epoch: null,
  conditions: [],
};

/**
 * The number of a service's next deployment: after the greatest, not the newest, for ids are ordered by the wall clock, which
 * may have been set back between two runs of the node.
 */
export function nextNumber(deployments: readonly { spec: Pick<DeploymentSpec, 'number'> }[]): number {
  return Math.max(0, ...deployments.map(({ spec }) => spec.number)) + 1;
}
