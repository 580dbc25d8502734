/** Reads and checks a node's settings: flags win over SERVICE_* variables. Every mistake is named at once. */
import { availableParallelism, totalmem } from 'node:os';
import { defaultFloor, parseFloor, type Floor } from '../../controllers/gc/disks.ts';
import { parseCidrs, type Cidr } from '../../controllers/network/addresses.ts';
import { parseServers } from '../../controllers/network/resolve.ts';
import { durationMs } from '../../specs/duration.ts';
import { parseHostPaths, type HostPath } from '../../specs/host-path.ts';
import { settings as known, type SettingName } from '../../specs/settings.ts';
import { didYouMean } from '../nearest.ts';
import { defaultDataDir } from './directories.ts';

export interface NodeSettings {
  dataDir: string;
  databaseUrl: string;
  /** `unix://…`, `tcp://…`, `managed`, or undefined: look for one. */
  engine: string | undefined;
  httpListen: string[];
  /** Port that URLs below the apps domain name: that of the first listen address. */
  publicHttpPort: number;
  /** Port at which the world reaches the ingress: that of domains. */
  challengePort: number;
  /** Empty: the system's. */
  dnsServers: string[];
  /** Special addresses that the node may fetch from. */
  fetchAllow: Cidr[];
  /** Directories of the host that projects may mount. */
  hostPaths: HostPath[];
  /** Empty: off. */
  httpsListen: string[];
  /** Port that https URLs name: that of the first listen address; null when TLS is off. */
  publicHttpsPort: number | null;
  /** null: no certificate is asked for. */
  acmeEmail: string | null;
  /** In the order in which they are tried. */
  acmeDirectories: [string, ...string[]];
  /** Path; null: none. */
  acmeCaFile: string | null;
  apiListen: Address;
  /** undefined: off. */
  metricsListen: Address | undefined;
  controlDomain: string | null;
  appsDomain: string | null;
  ingressWorkers: number;
  /** Milliseconds a session lasts unused, and at most. */
  sessionIdleMs: number;
  sessionMaxMs: number;
  /** Milliseconds that audit entries are kept. */
  auditKeepMs: number;
  /** What stays free on the node's disks. */
  diskFloor: Floor;
  /** Milliseconds that garbage is left in place. */
  gcAgeMs: number;
  logLevel: string;
  /** What one build may take: half of the memory, three quarters of the cores, so that the rest of the node lives. */
  buildLimits: { memoryBytes: number; cpus: number };
}

export interface Address {
  host: string;
  port: number;
}

export class SettingsError extends Error {
  constructor(violations: string[]) {
    super(violations.join('\n'));
    this.name = 'SettingsError';
  }
}

const letsEncrypt = 'https://acme-v02.api.letsencrypt.org/directory';

/** Ten years: dates further off are of no use, and soon of no representation. */
const longestSpan = '3650d';

const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'];
const hostname = /^(?=.{1,253}$)[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)*$/;

/** @throws SettingsError that lists everything wrong, a line each */
export function readSettings(
  env: NodeJS.ProcessEnv,
  flags: Partial<Record<SettingName, string>>,
): NodeSettings {
  const violations: string[] = unknownNames(env);
  const value = (name: SettingName): string | undefined => flags[name] ?? env[name];
  const attempt = <T>(name: SettingName, fallback: string, parse: (text: string) => T): T | undefined => {
    try {
      return parse(value(name) ?? fallback);
    } catch (error) {
      violations.push(`${name}: ${error instanceof Error ? error.message : String(error)}`);
      return undefined;
    }
  };
  const root = process.getuid?.() === 0;
  const dataDir = value('SERVICE_DATA_DIR') || defaultDataDir(env, root);
  const parsed = {
    dataDir,
    databaseUrl: attempt('SERVICE_DATABASE_URL', `sqlite:${dataDir}/svc.db`, parseDatabase),
    engine: attempt('SERVICE_ENGINE', '', parseEngine),
    httpListen: attempt('SERVICE_HTTP_LISTEN', root ? ':80' : ':8080', parseList),
    httpsListen: attempt('SERVICE_HTTPS_LISTEN', root ? ':443' : ':8443', (text) =>
      text === '' ? [] : parseList(text),
    ),
    acmeEmail: attempt('SERVICE_ACME_EMAIL', '', parseEmail),
    acmeDirectories: attempt('SERVICE_ACME_DIRECTORY', letsEncrypt, parseDirectories),
    acmeCaFile: attempt('SERVICE_ACME_CA_FILE', '', (text) => text || null),
    apiListen: attempt('SERVICE_API_LISTEN', '127.0.0.1:9400', parseAddress),
    metricsListen: attempt('SERVICE_METRICS_LISTEN', '127.0.0.1:9401', (text) =>
      text === '' ? undefined : parseAddress(text),
    ),
    controlDomain: attempt('SERVICE_CONTROL_DOMAIN', '', parseDomain),
    appsDomain: attempt('SERVICE_APPS_DOMAIN', '', parseDomain),
    challengePort: attempt('SERVICE_PUBLIC_HTTP_PORT', '80', parsePort),
    dnsServers: attempt('SERVICE_DNS_SERVERS', '', parseServers),
    fetchAllow: attempt('SERVICE_FETCH_ALLOW', '', parseCidrs),
    hostPaths: attempt('SERVICE_HOST_PATHS', '', parseHostPaths),
    ingressWorkers: attempt('SERVICE_INGRESS_WORKERS', String(availableParallelism()), parseWorkers),
    sessionIdleMs: attempt('SERVICE_SESSION_IDLE', '30d', (text) => parseSpan(text, '5m')),
    sessionMaxMs: attempt('SERVICE_SESSION_MAX', '90d', (text) => parseSpan(text, '5m')),
    auditKeepMs: attempt('SERVICE_AUDIT_KEEP', '90d', (text) => parseSpan(text, '1h')),
    diskFloor: attempt('SERVICE_DISK_FLOOR', defaultFloor, parseFloor),
    gcAgeMs: attempt('SERVICE_GC_AGE', '1h', (text) => parseSpan(text, '1s')),
    logLevel: attempt('SERVICE_LOG_LEVEL', 'info', parseLevel),
  };
  if (violations.length > 0) throw new SettingsError(violations);
  const publicHttpPort = parseAddress(parsed.httpListen?.[0] ?? ':80').port;
  const [https] = parsed.httpsListen ?? [];
  const publicHttpsPort = https === undefined ? null : parseAddress(https).port;
  const buildLimits = {
    memoryBytes: Math.floor(totalmem() / 2),
    cpus: Math.max(1, availableParallelism() * 0.75),
  };
  return { ...parsed, publicHttpPort, publicHttpsPort, buildLimits } as NodeSettings;
}

function unknownNames(env: NodeJS.ProcessEnv): string[] {
  const names: readonly string[] = known.map(({ name }) => name);
  return Object.keys(env)
    .filter((name) => name.startsWith('SERVICE_') && !names.includes(name))
    .map((name) => `${name}: there is no such setting.${didYouMean(name, names)}`);
}

function parseDatabase(text: string): string {
  if (!text.startsWith('sqlite:')) throw new Error(`"${text}" is no store that svc has: write sqlite:<path>`);
  return text;
}

function parseEngine(text: string): string | undefined {
  if (text === '') return undefined;
  if (text === 'managed' || /^(unix:\/\/\/|tcp:\/\/.)/.test(text)) return text;
  throw new Error(`"${text}" is no engine: write unix:///path/to.sock, tcp://host:port or managed`);
}

function parseAddress(text: string): Address {
  const match = /^(.*):(\d{1,5})$/.exec(text);
  const port = Number(match?.[2]);
  if (!match || port > 65_535)
    throw new Error(`"${text}" is no address: write host:port, or :port for every address`);
  return { host: (match[1] ?? '').replace(/^\[(.*)\]$/, '$1') || '::', port };
}

function parsePort(text: string): number {
  const port = Number(text);
  if (!/^\d{1,5}$/.test(text) || port < 1 || port > 65_535)
    throw new Error(`"${text}" is no port: write 1 to 65535`);
  return port;
}

function parseList(text: string): string[] {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  if (parts.length === 0) throw new Error('name at least one address, such as :8080');
  parts.forEach(parseAddress);
  return parts;
}

function parseEmail(text: string): string | null {
  if (text === '') return null;
  if (text.length > 254 || !/^[^\s@,;<>]+@[^\s@,;<>]+\.[^\s@,;<>]+$/.test(text))
    throw new Error(`"${text}" is no e-mail address`);
  return text;
}

/** RFC 8555, 6.1: https only. */
function parseDirectories(text: string): string[] {
  const parts = text.split(',').map((part) => part.trim());
  for (const part of parts) {
    if (!URL.canParse(part) || new URL(part).protocol !== 'https:')
      throw new Error(`"${part}" is no ACME directory: write its https:// URL`);
  }
  return [...new Set(parts)];
}

function parseDomain(text: string): string | null {
  if (text === '') return null;
  const lower = text.toLowerCase().replace(/\.$/, '');
  if (!hostname.test(lower)) throw new Error(`"${text}" is no hostname`);
  return lower;
}

function parseWorkers(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1 || count > 256)
    throw new Error(`"${text}" is no number of workers: write 1 to 256`);
  return count;
}

/** @param least below it a session would end between two requests, or an entry go before anybody reads it */
function parseSpan(text: string, least: string): number {
  const ms = durationMs(text);
  if (ms < durationMs(least) || ms > durationMs(longestSpan))
    throw new Error(`"${text}" is out of range: write ${least} to ${longestSpan}`);
  return ms;
}

function parseLevel(text: string): string {
  if (!levels.includes(text)) throw new Error(`"${text}" is no log level: write one of ${levels.join(', ')}`);
  return text;
}
