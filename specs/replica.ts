/** Replica: one running copy of a deployment's workload, behind a Unix socket of its own. */
import { Type, type Static } from '@sinclair/typebox';
import { Condition } from './conditions.ts';
import { Resources } from './workload.ts';

/**
 * ```
 * Pending → Starting → Ready ⇄ Exited (restarted with backoff)
 *              └──→ Exited        before the gate: the deployment's verdict, no restart
 * any → Paused → Exited → …       stopped on purpose while another deployment is tried, and started again if that fails
 * ```
 */
export const ReplicaPhase = Type.Union([
  Type.Literal('Pending'),
  Type.Literal('Starting'),
  Type.Literal('Ready'),
  Type.Literal('Exited'),
  Type.Literal('Paused'),
]);
export type ReplicaPhase = Static<typeof ReplicaPhase>;

export const ReplicaSpec = Type.Object(
  {
    deployment_id: Type.String(),
    service_id: Type.String(),
    project_id: Type.String(),
    epoch: Type.Integer({ minimum: 0 }),
    index: Type.Integer({ minimum: 0 }),
    /** Content id of the image it runs. */
    image: Type.String(),
    /** Its address in the project's network; fixed, and not given to another replica while a route may remember it. */
    address: Type.String(),
    /**
     * Since when it is to be stopped, and kept; absent: it is to run. With `spec.epoch` and its like it never changes but for
     * this one.
     */
    paused_at: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
export type ReplicaSpec = Static<typeof ReplicaSpec>;

export const Exit = Type.Object({
  code: Type.Integer(),
  out_of_memory: Type.Boolean(),
  at: Type.String(),
});
export type Exit = Static<typeof Exit>;

export const ReplicaStatus = Type.Object({
  phase: ReplicaPhase,
  /** Id of its container at the engine. */
  container: Type.Union([Type.String(), Type.Null()]),
  started_at: Type.Union([Type.String(), Type.Null()]),
  restarts: Type.Integer({ minimum: 0 }),
  /** Deaths in a row, each within ten minutes of its start: what the restart backoff grows with. */
  crashes: Type.Integer({ minimum: 0 }),
  last_exit: Type.Union([Exit, Type.Null()]),
  /** Whether the run that died last had answered well before. Absent before one died. */
  served: Type.Optional(Type.Boolean()),
  /** Not started again before this time. */
  restart_at: Type.Union([Type.String(), Type.Null()]),
  /** The limits that were put in force last. Absent before there is a container. */
  resources: Type.Optional(Resources),
  /** What the last probe answered, in words. */
  probe: Type.Union([Type.String(), Type.Null()]),
  conditions: Type.Array(Condition),
});
export type ReplicaStatus = Static<typeof ReplicaStatus>;
