/** Service: what should run. Deployments are its attempts; `rollout` says which of them is wanted. */
import { Type, type Static } from '@sinclair/typebox';
import { Condition } from './conditions.ts';
import { Duration } from './duration.ts';
import {
  Command,
  Environment,
  EnvironmentName,
  Health,
  Listen,
  Resources,
  VolumeMounts,
} from './workload.ts';

export const Release = Type.Object(
  {
    drain: Type.Intersect([Duration], {
      default: '30s',
      description: 'how long requests under way may go on after a swap',
    }),
    keep: Type.Integer({
      minimum: 1,
      maximum: 50,
      default: 5,
      description: 'earlier deployments kept for rollback',
    }),
    strategy: Type.Union([Type.Literal('rolling'), Type.Literal('recreate')], {
      default: 'rolling',
      description:
        'rolling: new replicas first; recreate: old ones stop first while requests wait. A service with a volume is always released so',
    }),
    surge: Type.Integer({
      minimum: 1,
      maximum: 100,
      default: 4,
      description: 'new replicas that start at the same time',
    }),
    auto_rollback: Type.Boolean({
      default: true,
      description:
        'whether a deployment that crashes or fails more requests than the one before is taken back',
    }),
    bake: Type.Intersect([Duration], {
      default: '60s',
      description: 'how long after its promotion a deployment is watched for that',
    }),
  },
  { additionalProperties: false },
);
export type Release = Static<typeof Release>;

/** Which deployment is wanted and whether it should run: written by deploy, rollback, stop, start and restart. */
export const Rollout = Type.Object(
  {
    /** The deployment that should serve. It is promoted once its gate passes; until then the promoted one goes on. */
    target: Type.Union([Type.String(), Type.Null()]),
    running: Type.Boolean(),
    /** Raised by one for every restart: replicas of an older epoch are replaced, gate first. */
    epoch: Type.Integer({ minimum: 0 }),
    /**
     * Revision of the workload that was last asked for: by a deploy, by a rollback (which asks for an older one while the
     * spec stays), or by the release of a changed spec. Null before the first.
     */
    configured: Type.Union([Type.String(), Type.Null()]),
  },
  { additionalProperties: false },
);
export type Rollout = Static<typeof Rollout>;

export const ServiceSpec = Type.Object(
  {
    port: Type.Integer({
      minimum: 1,
      maximum: 65_535,
      description: 'port that the workload listens on; it also gets it as $PORT',
    }),
    listen: Listen,
    health: Health,
    replicas: Type.Integer({ minimum: 1, maximum: 100, default: 1 }),
    env: Environment,
    /** Declared names → version of the current value; null while there is none. */
    secrets: Type.Record(EnvironmentName, Type.Union([Type.Integer({ minimum: 1 }), Type.Null()]), {
      additionalProperties: false,
    }),
    tls_enabled: Type.Boolean({ default: false }),
    resources: Resources,
    /** Absent: the image's own. */
    command: Type.Optional(Command),
    /** Absent: none. */
    volumes: Type.Optional(VolumeMounts),
    release: Release,
    rollout: Rollout,
  },
  { additionalProperties: false },
);
export type ServiceSpec = Static<typeof ServiceSpec>;

/**
 * A deployment that took over from another one is watched for a while; the one before stands by with its replicas, or, after a
 * stop-first release, with their containers stopped.
 */
export const Bake = Type.Object({
  deployment: Type.String(),
  /** The one before. Its replicas are kept and get no requests. */
  previous: Type.String(),
  /** What the one before had before it: `previous` of the service again, should the deployment be taken back. */
  earlier: Type.Union([Type.String(), Type.Null()]),
  since: Type.String(),
  until: Type.String(),
  /** Requests that the replicas before had got, and how many of them failed or were answered with 500 to 599. */
  before: Type.Object({ requests: Type.Integer(), bad: Type.Integer() }),
});
export type Bake = Static<typeof Bake>;

export const ServiceStatus = Type.Object({
  /** The deployment that routing points at. */
  promoted: Type.Union([Type.String(), Type.Null()]),
  /** The one before, default target of a rollback. */
  previous: Type.Union([Type.String(), Type.Null()]),
  /** Set while the promoted deployment is watched. */
  bake: Type.Union([Bake, Type.Null()]),
  /** Set while a stop-first release is under way: requests wait at the ingress. */
  parked_since: Type.Union([Type.String(), Type.Null()]),
  conditions: Type.Array(Condition),
});
export type ServiceStatus = Static<typeof ServiceStatus>;
