/** Lines of the two kinds of logs: what a deployment did, and what a workload printed. */
import { Type, type Static } from '@sinclair/typebox';
import { DeploymentPhase } from './deployment.ts';
import { RunPhase } from './job.ts';

const at = Type.String({ description: 'RFC 3339 time' });
const stream = Type.Union([Type.Literal('stdout'), Type.Literal('stderr')]);

export const DeploymentLogLine = Type.Object({
  event: Type.Literal('log'),
  at,
  phase: Type.Union([Type.Literal('build'), Type.Literal('release')]),
  stream,
  line: Type.String(),
});
export type DeploymentLogLine = Static<typeof DeploymentLogLine>;

export const DeploymentLogStatus = Type.Object({
  event: Type.Literal('status'),
  at,
  status: DeploymentPhase,
  reason: Type.String(),
  message: Type.String(),
});
export type DeploymentLogStatus = Static<typeof DeploymentLogStatus>;

/** One entry of a deployment's log, as the file holds it and as the stream sends it. */
export const DeploymentLogEntry = Type.Union([DeploymentLogLine, DeploymentLogStatus]);
export type DeploymentLogEntry = Static<typeof DeploymentLogEntry>;

/** One line that a workload printed. */
export const WorkloadLogLine = Type.Object({ at, replica: Type.String(), stream, line: Type.String() });
export type WorkloadLogLine = Static<typeof WorkloadLogLine>;

/** One line that a run printed. */
export const RunLogLine = Type.Object({
  event: Type.Literal('log'),
  at,
  try: Type.Integer({ description: '1 for the first' }),
  stream,
  line: Type.String(),
});
export type RunLogLine = Static<typeof RunLogLine>;

export const RunLogStatus = Type.Object({
  event: Type.Literal('status'),
  at,
  status: RunPhase,
  reason: Type.String(),
  message: Type.String(),
});

/** One entry of a run's log. */
export const RunLogEntry = Type.Union([RunLogLine, RunLogStatus]);
export type RunLogEntry = Static<typeof RunLogEntry>;
