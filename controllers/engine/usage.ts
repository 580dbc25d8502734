/** What the engine's things take on its disk. */

export interface CacheRecord {
  bytes: number;
  /** A build reads it, or an image is made of it: it cannot go, or nothing would be freed. */
  isNeeded: boolean;
  /** RFC 3339; null where the engine does not say. */
  lastUsedAt: string | null;
}

export interface EngineUsage {
  /** By content id: what an image has alone, and would free. */
  images: ReadonlyMap<string, number>;
  /** By name; those whose size the engine knows. */
  volumes: ReadonlyMap<string, number>;
  /** Of BuildKit: of everybody who builds at this engine. */
  buildCache: readonly CacheRecord[];
}
