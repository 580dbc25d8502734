/** Project: a named scope that owns services, and the network that their replicas share. */
import { Type, type Static } from '@sinclair/typebox';
import { Condition } from './conditions.ts';

/**
 * How many living things of a kind one project has at most. Each costs the node something for as long as it is there (a key to look
 * after, a place in the route set), and whoever writes in one project must not use up a node that others share.
 */
export const mostInProject = { Service: 200, Job: 200, Domain: 1_000, Registry: 50, Volume: 500 } as const;

export const ProjectSpec = Type.Object({}, { additionalProperties: false });
export type ProjectSpec = Record<string, never>;

export const ProjectStatus = Type.Object({
  /** IPv4 range of the project's network (CIDR); taken once and kept while it can be had, so that addresses stay meaningful. */
  subnet: Type.Union([Type.String(), Type.Null()]),
  /** Id of the network at the engine; null until it exists. */
  network: Type.Union([Type.String(), Type.Null()]),
  /** What the network is called there; taken together with the range. Null until then. */
  network_name: Type.Union([Type.String(), Type.Null()]),
  conditions: Type.Array(Condition),
});
export type ProjectStatus = Static<typeof ProjectStatus>;
