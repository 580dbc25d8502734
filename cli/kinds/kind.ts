/** What `svc get` and `svc describe` need to know about a kind of resource. */
import type { Condition } from '../../specs/conditions.ts';
import type { Client } from '../client.ts';
import type { Column } from '../output/table.ts';

/** Which resources are meant: all, those of a project or service, or one of them. */
export interface Scope {
  /** Name or id. */
  project?: string | undefined;
  /** `NAME` in the project, or `PROJECT/NAME`. */
  service?: string | undefined;
  /** Of the one that is wanted. */
  name?: string | undefined;
}

/** A part of a description: aligned `key: value` lines, or a table under a title. */
export interface Section {
  title?: string;
  lines: string[];
}

/** How things of one kind are listed. */
export interface Listing<T> {
  singular: string;
  plural: string;
  columns(now: number): Column<T>[];
  /** What `-o name` prints after the kind, and what a name argument takes. */
  name(item: T): string;
}

export interface Kind<T> extends Listing<T> {
  aliases: readonly string[];
  /** Whether `-s` narrows it down. */
  ofService: boolean;
  /** Newest first. Throws CliError where a project or service of the scope does not exist. */
  list(client: Client, scope: Scope): Promise<T[]>;
  describe(client: Client, item: T, now: number): Promise<Section[]>;
  /** How `svc delete` takes one away; without it, nobody deletes one by hand. */
  deletion?(client: Client, item: T): Deletion;
}

export interface Deletion {
  /** What a user has to type to confirm it. */
  name: string;
  /** What goes along with it, in a sentence or two. */
  warning(cascade: boolean): string;
  /** Asks the node for it. Throws CliError where that is refused. */
  begin(cascade: boolean): Promise<unknown>;
  /** Rejects with `not found` once it is gone. */
  look(signal: AbortSignal): Promise<{ conditions: readonly Condition[] }>;
}
