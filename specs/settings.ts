/**
 * Settings of a node: environment variables named SERVICE_*, each with a flag of the same name (`--http-listen`).
 * The README's table is made from this list.
 */

export interface Setting {
  /** Environment variable. */
  name: `SERVICE_${string}`;
  /** As the README prints it. */
  fallback: string;
  meaning: string;
}

export const settings = [
  {
    name: 'SERVICE_DATA_DIR',
    fallback: '/var/lib/svc (root) or $XDG_STATE_HOME/svc',
    meaning: 'state, database, logs; mode 0700',
  },
  { name: 'SERVICE_DATABASE_URL', fallback: 'sqlite:<data dir>/svc.db', meaning: 'the store' },
  {
    name: 'SERVICE_ENGINE',
    fallback: 'first that answers of $DOCKER_HOST, /var/run/docker.sock, Podman; else managed',
    meaning: 'Docker Engine API endpoint: unix://…, tcp://… or managed (a dockerd of its own, root only)',
  },
  {
    name: 'SERVICE_HTTP_LISTEN',
    fallback: ':80 as root, else :8080',
    meaning: 'ingress, plain HTTP; comma-separated list',
  },
  { name: 'SERVICE_API_LISTEN', fallback: '127.0.0.1:9400', meaning: 'control plane API' },
  {
    name: 'SERVICE_METRICS_LISTEN',
    fallback: '127.0.0.1:9401',
    meaning: 'Prometheus /metrics, /healthz, /readyz; empty turns it off',
  },
  {
    name: 'SERVICE_CONTROL_DOMAIN',
    fallback: 'none',
    meaning: 'hostname on which the ingress serves the API itself',
  },
  {
    name: 'SERVICE_APPS_DOMAIN',
    fallback: 'none',
    meaning: 'every service is also routed at <service>.<project>.<this domain>; localhost on a laptop',
  },
  { name: 'SERVICE_INGRESS_WORKERS', fallback: 'number of cores', meaning: 'ingress worker processes' },
  { name: 'SERVICE_SESSION_IDLE', fallback: '30d', meaning: 'a session that is not used for so long ends' },
  { name: 'SERVICE_SESSION_MAX', fallback: '90d', meaning: 'a session ends after so long, used or not' },
  { name: 'SERVICE_AUDIT_KEEP', fallback: '90d', meaning: 'how long the audit is kept' },
  {
    name: 'SERVICE_LOG_LEVEL',
    fallback: 'info',
    meaning: 'JSON lines on stderr, pretty when it is a terminal',
  },
] as const satisfies readonly Setting[];

export type SettingName = (typeof settings)[number]['name'];
