/** What the API is made of: what is handed in, and what routes get. Types only. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Clock, Random } from '../specs/clock.ts';
import type { HostPath } from '../specs/host-path.ts';
import type { Masks } from '../specs/mask.ts';
import type { Passwords } from './auth/passwords.ts';
import type { SlowDown } from './auth/slow-down.ts';
import type { MakeId } from './ids.ts';
import type {
  Console,
  Garbage,
  LogReader,
  NodeState,
  RotateNodeKey,
  UploadReceiver,
  WorkloadMetrics,
} from './ports.ts';
import type { Accounts } from './store/accounts.ts';
import type { Audit } from './store/audit.ts';
import type { Events } from './store/events.ts';
import type { Idempotency } from './store/idempotency.ts';
import type { LoginFailures } from './store/login-failures.ts';
import type { Store } from './store/store.ts';
import type { Vault } from './store/vault.ts';

export type App = FastifyInstance<
  Server,
  IncomingMessage,
  ServerResponse,
  FastifyBaseLogger,
  TypeBoxTypeProvider
>;

export interface ApiSettings {
  controlDomain: string | null;
  appsDomain: string | null;
  /** Port of the ingress, for the URLs of services. */
  publicHttpPort: number;
  /** The same for https URLs; null: the node speaks no TLS. */
  publicHttpsPort: number | null;
  /** Whether certificates are asked for. */
  acmeEnabled: boolean;
  /** Port at which the world reaches the ingress: for the URLs and challenges of domains. */
  challengePort: number;
  /** Of this program. */
  version: string;
  /** Milliseconds a session lasts unused, and at most. */
  sessionIdleMs: number;
  sessionMaxMs: number;
  /** Milliseconds that audit entries are kept. */
  auditKeepMs: number;
  /** Directories of the host that services may mount. */
  hostPaths: readonly HostPath[];
}

export interface ApiDeps {
  store: Store;
  accounts: Accounts;
  vault: Pick<Vault, 'list' | 'secretsOf'>;
  audit: Audit;
  events: Pick<Events, 'list'>;
  idempotency: Idempotency;
  loginFailures: LoginFailures;
  clock: Clock;
  random: Random;
  /** The key of the node (32 bytes) as it is now: it keys the bootstrap token. */
  nodeKey: () => Buffer;
  rotateNodeKey: RotateNodeKey;
  settings: ApiSettings;
  uploads: UploadReceiver;
  logs: LogReader;
  metrics: WorkloadMetrics;
  console: Console;
  node: NodeState;
  garbage: Garbage;
  logger: FastifyBaseLogger;
}

/** What routes get. */
export interface ApiContext extends ApiDeps {
  newId: MakeId;
  passwords: Passwords;
  slowDown: SlowDown;
  /** Hide secrets in what is shown of a project. */
  masks: Masks;
  /** Aborts when the API closes: whatever is open must end by itself. */
  stopping: AbortSignal;
}
