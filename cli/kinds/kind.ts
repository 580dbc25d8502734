/** What `svc get` and `svc describe` need to know about a kind of resource. */
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

export interface Kind<T> {
  singular: string;
  plural: string;
  aliases: readonly string[];
  /** Whether `-s` narrows it down. */
  ofService: boolean;
  columns(now: number): Column<T>[];
  /** What `-o name` prints after the kind, and what the name argument takes. */
  name(item: T): string;
  /** Newest first. Throws CliError where a project or service of the scope does not exist. */
  list(client: Client, scope: Scope): Promise<T[]>;
  describe(client: Client, item: T, now: number): Promise<Section[]>;
}
