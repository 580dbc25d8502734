/** What an engine is told when it is to ask a registry. Types only. */

/** As whom a registry is asked. The password goes to the engine in a header, and nowhere else. */
export interface RegistryAuth {
  /** Host, with its port where it has one. */
  server: string;
  username: string;
  password: string;
}

export interface RegistryRequest {
  /** Whole (specs/image-reference.ts): `registry/path:tag` or `registry/path@sha256:…`. */
  reference: string;
  /** Absent: as nobody. */
  auth?: RegistryAuth;
  signal: AbortSignal;
}

export interface PullRequest extends RegistryRequest {
  /** What becomes of the layers, for people: a few lines each. */
  onLine: (line: string) => void;
}
