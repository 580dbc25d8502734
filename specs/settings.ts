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
  {
    name: 'SERVICE_HTTPS_LISTEN',
    fallback: ':443 as root, else :8443',
    meaning: 'ingress, TLS; comma-separated list; empty turns it off',
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
  {
    name: 'SERVICE_ACME_EMAIL',
    fallback: 'none',
    meaning:
      "contact of the ACME account; setting it agrees to the authority's terms; without it no certificate is asked for",
  },
  {
    name: 'SERVICE_ACME_DIRECTORY',
    fallback: "Let's Encrypt production",
    meaning: 'ACME directory URL; a comma-separated list is tried in order',
  },
  {
    name: 'SERVICE_ACME_CA_FILE',
    fallback: 'none',
    meaning: 'PEM file with certificates to trust besides the usual ones, for a private ACME directory',
  },
  {
    name: 'SERVICE_DNS_SERVERS',
    fallback: "the system's",
    meaning: 'resolvers that domains are verified with: 192.0.2.53 or 192.0.2.53:5353; comma-separated list',
  },
  {
    name: 'SERVICE_PUBLIC_HTTP_PORT',
    fallback: '80',
    meaning: 'port at which the world reaches the HTTP ingress; ownership of a domain is proven there',
  },
  {
    name: 'SERVICE_FETCH_ALLOW',
    fallback: 'none',
    meaning:
      'CIDRs that the node itself may fetch from although they are loopback, private or otherwise special',
  },
  {
    name: 'SERVICE_HOST_PATHS',
    fallback: 'none',
    meaning:
      'directories of the host that a project may mount: project/name=/host/path, …:ro for reading only; comma-separated list',
  },
  { name: 'SERVICE_INGRESS_WORKERS', fallback: 'number of cores', meaning: 'ingress worker processes' },
  { name: 'SERVICE_SESSION_IDLE', fallback: '30d', meaning: 'a session that is not used for so long ends' },
  { name: 'SERVICE_SESSION_MAX', fallback: '90d', meaning: 'a session ends after so long, used or not' },
  { name: 'SERVICE_AUDIT_KEEP', fallback: '90d', meaning: 'how long the audit is kept' },
  {
    name: 'SERVICE_DISK_FLOOR',
    fallback: '10%,5Gi',
    meaning:
      'free space, of the disk or in bytes (the lesser of both), below which pushes and deploys are refused and garbage goes at once',
  },
  {
    name: 'SERVICE_GC_AGE',
    fallback: '1h',
    meaning: 'how long what nothing needs any more is left in place',
  },
  {
    name: 'SERVICE_LOG_LEVEL',
    fallback: 'info',
    meaning: 'JSON lines on stderr, pretty when it is a terminal',
  },
] as const satisfies readonly Setting[];

export type SettingName = (typeof settings)[number]['name'];
