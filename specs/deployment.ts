/** Deployment: one immutable build plus release of a service. Its spec never changes but for `stopped`, and limits that are changed in place. */
import { Type, type Static } from '@sinclair/typebox';
import { Condition } from './conditions.ts';
import { DeploymentReason } from './reasons.ts';
import { Workload } from './workload.ts';

/**
 * ```
 * Pending → Building → Starting → Healthy → Inactive   a newer one was promoted (kept for rollback)
 *    │          │          │         ├────→ Stopped    somebody stopped it
 *    │          │          │         └────→ Failed     taken back while it was watched
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

export const GitSource = Type.Object(
  {
    repo_url: Type.String(),
    /** Branch, tag or commit, as it was asked for; the commit that it was then stands in the status. */
    git_ref: Type.String(),
    dockerfile_path: ContextPath,
    context_path: ContextPath,
  },
  { additionalProperties: false },
);
export type GitSource = Static<typeof GitSource>;

/** Where the artifact comes from; `image` is the reference of an external one, as it was asked for. */
export const DeploymentSource = Type.Union([
  Type.Object({ upload: UploadSource }, { additionalProperties: false }),
  Type.Object({ git: GitSource }, { additionalProperties: false }),
  Type.Object({ image: Type.String() }, { additionalProperties: false }),
]);
export type DeploymentSource = Static<typeof DeploymentSource>;

/** The upload of a source that is one. */
export function uploadOf(source: DeploymentSource): UploadSource | undefined {
  return 'upload' in source ? source.upload : undefined;
}

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
    /** Somebody asked that this one stop. It changes, and `workload.resources` of the one that serves; nothing else does. */
    stopped: Type.Boolean(),
  },
  { additionalProperties: false },
);
export type DeploymentSpec = Static<typeof DeploymentSpec>;

/** What became of requests while this deployment took over from the one before: from its promotion until that one's end. */
export const Receipt = Type.Object({
  /** Requests answered by replicas of the deployment before, and of this one. */
  served_old: Type.Integer(),
  served_new: Type.Integer(),
  /** Without an answer from a replica: broken connections, and 502 and 503 made by the ingress. */
  failed: Type.Integer(),
  /** Requests and connections cut at the deadline of the drain. */
  aborted: Type.Integer(),
  /** Requests that waited at the ingress because no replica was there, and the longest that one did, in milliseconds. */
  parked: Type.Integer(),
  parked_longest_ms: Type.Integer(),
  /** The longest that a replica took to an answer's first byte, or that a request waited for one, in milliseconds. */
  longest_wait_ms: Type.Integer(),
  started_at: Type.String(),
  /** Null while it is still being counted. */
  finished_at: Type.Union([Type.String(), Type.Null()]),
});
export type Receipt = Static<typeof Receipt>;

/** What a receipt is reckoned from while it is being counted. */
export const Takeover = Type.Object({
  /** Ids of the replicas that were routed before. */
  replaced: Type.Array(Type.String()),
  /** Ids of the replicas that it had since, also of those that are gone: what they served stays counted. */
  own: Type.Optional(Type.Array(Type.String())),
  /** Figures of the ingress at the promotion; a new control plane may know less. */
  base: Type.Object({
    ...{ served_old: Type.Integer(), served_new: Type.Integer() },
    ...{ failed: Type.Integer(), aborted: Type.Integer(), parked: Type.Integer() },
    ...{ longest_old_ms: Type.Integer(), longest_new_ms: Type.Integer() },
  }),
  /** Since when nothing of it is open any more; what was counted by then is yet to be told. */
  settled_at: Type.Union([Type.String(), Type.Null()]),
});
export type Takeover = Static<typeof Takeover>;

export const DeploymentStatus = Type.Object({
  phase: DeploymentPhase,
  reason: Type.String(),
  message: Type.String(),
  /** Content id of the image at the engine (`sha256:…`); null until it is built. */
  image: Type.Union([Type.String(), Type.Null()]),
  /** The commit that a Git source was resolved to; null for other sources, and until then. */
  commit: Type.Union([Type.String(), Type.Null()]),
  /** `repository@sha256:…` that an external image was resolved to; null for other sources, and until then. */
  digest: Type.Union([Type.String(), Type.Null()]),
  /** Of the last time that it took over from replicas before; null when there were none. */
  receipt: Type.Union([Receipt, Type.Null()]),
  /** Set while the receipt is being counted. */
  takeover: Type.Union([Takeover, Type.Null()]),
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
  commit: null,
  digest: null,
  receipt: null,
  takeover: null,
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
