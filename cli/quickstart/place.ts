/** Where the quickstart keeps its things, and the addresses it uses. */
import { homedir } from 'node:os';
import { join } from 'node:path';

export interface Place {
  dataDir: string;
  /** Client configuration of its own, so that the user's is left alone. */
  configDir: string;
  log: string;
  password: string;
  apiUrl: string;
  httpPort: number;
}

/** @param dataDir given by the user, if any */
export function placeOf(dataDir: string | undefined, env: NodeJS.ProcessEnv): Place {
  const state = env['XDG_STATE_HOME'] ?? join(homedir(), '.local/state');
  const root = dataDir ?? join(state, 'svc-quickstart');
  const apiPort = Number(env['QUICKSTART_API_PORT'] ?? 9400);
  return {
    dataDir: join(root, 'node'),
    configDir: join(root, 'client'),
    log: join(root, 'serve.log'),
    password: join(root, 'admin.password'),
    apiUrl: `http://127.0.0.1:${apiPort}`,
    httpPort: Number(env['QUICKSTART_HTTP_PORT'] ?? 8080),
  };
}
