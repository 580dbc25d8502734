/** Project: a named scope that owns services, and the network that their replicas share. */
import { Type, type Static } from '@sinclair/typebox';
import { Condition } from './conditions.ts';

export const ProjectSpec = Type.Object({}, { additionalProperties: false });
export type ProjectSpec = Record<string, never>;

export const ProjectStatus = Type.Object({
  /** IPv4 range of the project's network (CIDR); taken once and kept, so that addresses stay meaningful. */
  subnet: Type.Union([Type.String(), Type.Null()]),
  /** Id of the network at the engine; null until it exists. */
  network: Type.Union([Type.String(), Type.Null()]),
  /** What the network is called there; taken together with the range. Null until then. */
  network_name: Type.Union([Type.String(), Type.Null()]),
  conditions: Type.Array(Condition),
});
export type ProjectStatus = Static<typeof ProjectStatus>;
