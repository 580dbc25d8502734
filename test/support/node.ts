/** A real node for end-to-end tests: `svc serve` as a process of its own on free ports, and `svc` as its user types it. */
import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { ensureBaseImage, startTestEngine } from './engine.ts';
import { freePort } from './free-port.ts';
import { ask, type Answer } from './http-answer.ts';
import { removeTraces } from './node-traces.ts';

const program = fileURLToPath(new URL('../../cli/main.ts', import.meta.url));
const password = 'correct horse battery';

export interface Ran {
  code: number;
  stdout: string;
  stderr: string;
}

export interface TestNode {
  dataDir: string;
  /** The client's configuration of the logged-in admin. */
  clientDir: string;
  apiUrl: string;
  metricsUrl: string;
  httpPort: number;
  httpsPort: number;
  engine: string;
  /** Pid of the control plane. */
  pid(): number;
  /** Runs a `svc` command as the logged-in admin. */
  svc(args: string[], options?: { cwd?: string; input?: string }): Promise<Ran>;
  /** One GET through the ingress. */
  get(host: string, path?: string, headers?: Record<string, string>): Promise<Answer>;
  /** What the node logged so far. */
  log(): string;
  kill(signal: NodeJS.Signals): Promise<void>;
  /** Starts the control plane again on the same data directory. */
  start(): Promise<void>;
  /** Stops the node and removes what it made. */
  stop(): Promise<void>;
}

/**
 * Starts a node with one account, logged in, and the project `demo`.
 * @param more flags of `svc serve`; a function where they name the ports of its ingress
 */
export async function startNode(
  more: string[] | ((ports: { http: number; https: number }) => string[] | Promise<string[]>) = [],
): Promise<TestNode> {
  const root = await mkdtemp(join(tmpdir(), 'svc-e2e-'));
  const engine = await startTestEngine();
  await ensureBaseImage(engine.endpoint);
  const [api, metrics, http, https] = await Promise.all([freePort(), freePort(), freePort(), freePort()]);
  const flags = Array.isArray(more) ? more : await more({ http, https });
  const dataDir = join(root, 'node');
  const clientDir = join(root, 'client');
  const env = { ...process.env, SVC_CONFIG_DIR: clientDir, NO_COLOR: '1' };
  const serveFlags = [
    ...['--data-dir', dataDir, '--engine', engine.endpoint, '--apps-domain', 'localhost'],
    ...['--http-listen', `127.0.0.1:${http}`, '--api-listen', `127.0.0.1:${api}`],
    ...['--https-listen', `127.0.0.1:${https}`],
    ...['--metrics-listen', `127.0.0.1:${metrics}`, '--ingress-workers', '2', ...flags],
  ];
  let child: ChildProcess | undefined;
  let log = '';

  const node: TestNode = {
    dataDir,
    clientDir,
    apiUrl: `http://127.0.0.1:${api}`,
    metricsUrl: `http://127.0.0.1:${metrics}`,
    httpPort: http,
    httpsPort: https,
    engine: engine.endpoint,
    pid: () => child?.pid ?? -1,
    svc: (args, options = {}) => run([program, ...args], { env, ...options }),
    get: (host, path = '/', headers = {}) =>
      ask({ host: '127.0.0.1', port: http, path, headers: { host, ...headers } }),
    log: () => log,
    async kill(signal) {
      const ended = child;
      if (!ended || ended.exitCode !== null || ended.signalCode !== null) return;
      const gone = new Promise((resolve) => ended.once('exit', resolve));
      ended.kill(signal);
      await gone;
    },
    async start() {
      const started = spawn(process.execPath, [program, 'serve', ...serveFlags], {
        env,
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      child = started;
      for (const stream of [started.stdout, started.stderr])
        stream.on('data', (chunk: Buffer) => (log += chunk.toString()));
      await untilReady(node, started);
    },
    async stop() {
      await node.kill('SIGTERM');
      await removeTraces(engine.endpoint, dataDir);
      await engine.stop();
      await rm(root, { recursive: true, force: true });
    },
  };
  try {
    await must(node.svc(['setup', '--data-dir', dataDir]));
    await node.start();
    await must(
      node.svc(['auth', '--bootstrap', '--url', node.apiUrl, '--username', 'admin', '--password-stdin'], {
        input: password,
      }),
    );
    await must(node.svc(['projects', 'create', 'demo']));
  } catch (error) {
    await node.stop();
    throw error;
  }
  return node;
}

export async function must(running: Promise<Ran>): Promise<Ran> {
  const ran = await running;
  if (ran.code !== 0) throw new Error(`ended with code ${ran.code}\n${ran.stdout}\n${ran.stderr}`);
  return ran;
}

export async function until<T>(
  what: string,
  check: () => Promise<T | undefined | false>,
  limit = 30_000,
): Promise<T> {
  const end = performance.now() + limit;
  for (;;) {
    const found = await check();
    if (found !== undefined && found !== false) return found;
    if (performance.now() > end) throw new Error(`${what}: not within ${limit / 1000} s`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

function run(
  args: string[],
  { env, cwd, input }: { env: NodeJS.ProcessEnv; cwd?: string; input?: string },
): Promise<Ran> {
  return new Promise((resolve, reject) => {
    const child = spawn(process.execPath, args, {
      env,
      stdio: ['pipe', 'pipe', 'pipe'],
      ...(cwd === undefined ? {} : { cwd }),
    });
    let stdout = '';
    let stderr = '';
    child.stdout.on('data', (chunk: Buffer) => (stdout += chunk.toString()));
    child.stderr.on('data', (chunk: Buffer) => (stderr += chunk.toString()));
    child.on('error', reject);
    child.on('close', (code) => resolve({ code: code ?? -1, stdout, stderr }));
    child.stdin.end(input);
  });
}

async function untilReady(node: TestNode, child: ChildProcess): Promise<void> {
  const isReady = async (): Promise<boolean> => {
    if (child.exitCode !== null)
      throw new Error(`svc serve ended with code ${child.exitCode}\n${node.log()}`);
    return fetch(`${node.apiUrl}/readyz`).then(
      (response) => response.ok,
      () => false,
    );
  };
  await until('the node is ready', isReady, 60_000).catch((error: unknown) => {
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${node.log()}`);
  });
}
