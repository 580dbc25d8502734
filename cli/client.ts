/** A node, seen from outside: every route that the command line uses, as a typed function. Prints nothing. */
import type { Clock } from '../specs/clock.ts';
import { createTransport } from './client/http.ts';
import { accountRoutes } from './client/routes/accounts.ts';
import { consoleRoutes } from './client/routes/console.ts';
import { deploymentRoutes } from './client/routes/deployments.ts';
import { domainRoutes } from './client/routes/domains.ts';
import { jobRoutes } from './client/routes/jobs.ts';
import { logRoutes } from './client/routes/logs.ts';
import { nodeRoutes } from './client/routes/node.ts';
import { projectRoutes } from './client/routes/projects.ts';
import { serviceRoutes } from './client/routes/services.ts';

/** Every function throws CliError with the exit code that its failure has. */
export type Client = ReturnType<typeof createClient>;

export interface ClientOptions {
  url: string;
  token?: string | undefined;
  /** What the user does where the token is not, or no longer, valid. */
  renew?: string | undefined;
  clock: Clock;
  /** Version of this program. */
  version: string;
}

export function createClient({ url, token, renew, clock, version }: ClientOptions) {
  const http = createTransport({ url, token, renew, clock, agent: `svc/${version}` });
  return {
    url,
    ...accountRoutes(http),
    ...projectRoutes(http),
    ...serviceRoutes(http),
    ...domainRoutes(http),
    ...deploymentRoutes(http),
    ...jobRoutes(http),
    ...logRoutes(http, clock),
    ...consoleRoutes(http, { clock, agent: `svc/${version}` }),
    ...nodeRoutes(http),
    close: () => http.close(),
  };
}
