/** What the API is made of: what is handed in, and what routes get. Types only. */
import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { TypeBoxTypeProvider } from '@fastify/type-provider-typebox';
import type { FastifyBaseLogger, FastifyInstance } from 'fastify';
import type { Clock, Random } from '../specs/clock.ts';
import type { Passwords } from './auth/passwords.ts';
import type { MakeId } from './ids.ts';
import type { LogReader, NodeState, UploadReceiver } from './ports.ts';
import type { Accounts } from './store/accounts.ts';
import type { Store } from './store/store.ts';

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
  /** Of this program. */
  version: string;
}

export interface ApiDeps {
  store: Store;
  accounts: Accounts;
  clock: Clock;
  random: Random;
  /** 32 bytes; keys the bootstrap token. */
  nodeKey: Buffer;
  settings: ApiSettings;
  uploads: UploadReceiver;
  logs: LogReader;
  node: NodeState;
  logger: FastifyBaseLogger;
}

/** What routes get. */
export interface ApiContext extends ApiDeps {
  newId: MakeId;
  passwords: Passwords;
  /** Aborts when the API closes: whatever is open must end by itself. */
  stopping: AbortSignal;
}
