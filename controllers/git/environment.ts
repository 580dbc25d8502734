/**
 * What git and ssh run with: all of it ours. No configuration of the machine or of its users, no hooks, no helpers, no
 * prompts, no transport but https and ssh, no address but those that were judged. Pure.
 */
import type { GitUrl } from '../../specs/git-source.ts';

/** Paths of a clone's private home. */
export interface HomePaths {
  dir: string;
  /** git's and ssh's configuration. */
  gitConfig: string;
  sshConfig: string;
  /** The project's deploy key, and what is known of the host. */
  key: string;
  knownHosts: string;
  sshLog: string;
}

export function homePaths(dir: string): HomePaths {
  return {
    dir,
    gitConfig: `${dir}/gitconfig`,
    sshConfig: `${dir}/ssh_config`,
    key: `${dir}/key`,
    knownHosts: `${dir}/known_hosts`,
    sshLog: `${dir}/ssh.log`,
  };
}

/** The whole environment of every process of a clone. HOME marks them as well: strays are found by it (processes.ts). */
export function environment({ dir, gitConfig }: HomePaths, path: string): Record<string, string> {
  return {
    HOME: dir,
    PATH: path,
    LC_ALL: 'C',
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: gitConfig,
    GIT_ATTR_NOSYSTEM: '1',
    GIT_TERMINAL_PROMPT: '0',
    GIT_ASKPASS: '/bin/false',
    SSH_ASKPASS: '/bin/false',
    GIT_ALLOW_PROTOCOL: 'https:ssh',
    GIT_PROTOCOL_FROM_USER: '0',
  };
}

/** What is set that simple-git holds to be dangerous: from strangers it would be. */
export const allowedByGuard = {
  allowEnvironment: [
    ...[
      'GIT_CONFIG_NOSYSTEM',
      'GIT_CONFIG_GLOBAL',
      'GIT_ATTR_NOSYSTEM',
      'GIT_TERMINAL_PROMPT',
      'GIT_ASKPASS',
    ],
    ...['SSH_ASKPASS', 'GIT_ALLOW_PROTOCOL', 'GIT_PROTOCOL_FROM_USER'],
  ],
  unsafe: { allowUnsafeConfigPaths: true, allowUnsafeAskPass: true },
};

/** Seconds without a byte after which a transfer is given up. */
const silence = 60;

/**
 * git's only configuration.
 * @param addresses that the host was found at and that may be fetched from
 * @param certificateFile PEM file with the authorities that are trusted; undefined: those of the machine
 */
export function gitConfig(
  home: HomePaths,
  { host, port, transport }: GitUrl,
  addresses: readonly string[],
  certificateFile?: string,
): string {
  const at = addresses.map((address) => (address.includes(':') ? `[${address}]` : address)).join(',');
  const sections: Record<string, Record<string, string | number | boolean>> = {
    core: {
      sshCommand: `ssh -F ${shellQuoted(home.sshConfig)} -E ${shellQuoted(home.sshLog)}`,
      hooksPath: '/dev/null',
      fsmonitor: false,
      // Larger files are passed through, and never held in memory.
      bigFileThreshold: '16m',
    },
    init: { templateDir: '' },
    credential: { helper: '' },
    protocol: { allow: 'never' },
    'protocol "https"': { allow: 'always' },
    'protocol "ssh"': { allow: 'always' },
    ssh: { variant: 'ssh' },
    http: {
      followRedirects: false,
      lowSpeedLimit: 1,
      lowSpeedTime: silence,
      // Overrides any proxy: the connection goes where it was judged to go.
      proxy: '',
      ...(certificateFile !== undefined && { sslCAInfo: certificateFile }),
      ...(transport === 'https' && { curloptResolve: `${host}:${port}:${at}` }),
    },
    transfer: { fsckObjects: true, bundleURI: false },
    // Harmless, and in the history of many a repository (Gitaly lets the same ones pass).
    'fetch "fsck"': { badTimezone: 'ignore', missingSpaceBeforeDate: 'ignore', zeroPaddedFilemode: 'ignore' },
    fetch: { recurseSubmodules: false, unpackLimit: 1, writeCommitGraph: false },
    submodule: { recurse: false },
    pack: { threads: 1 },
    gc: { auto: 0 },
    maintenance: { auto: false },
  };
  return Object.entries(sections)
    .map(([name, values]) => `[${name}]\n${Object.entries(values).map(line).join('')}`)
    .join('');
}

function line([name, value]: [string, string | number | boolean]): string {
  const text = String(value).replaceAll('\\', '\\\\').replaceAll('"', '\\"');
  return `\t${name} = "${text}"\n`;
}

/** Single quotes: a shell takes everything else in them as it is. */
export function shellQuoted(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`;
}

export interface SshTarget {
  git: GitUrl;
  /** Where the connection goes: no second lookup can lead elsewhere. */
  address: string;
  /** The host as known_hosts names it. */
  knownAs: string;
  hasKey: boolean;
  /** Whether the project knows the host: then only with its key. */
  isKnown: boolean;
}

/** ssh's only configuration: one host, one key or none, no agent, no forwarding, no program. */
export function sshConfig(home: HomePaths, { address, knownAs, hasKey, isKnown }: SshTarget): string {
  const settings: Record<string, string> = {
    HostName: address,
    HostKeyAlias: knownAs,
    UserKnownHostsFile: configQuoted(home.knownHosts),
    GlobalKnownHostsFile: '/dev/null',
    StrictHostKeyChecking: isKnown ? 'yes' : 'accept-new',
    UpdateHostKeys: 'no',
    HashKnownHosts: 'no',
    CheckHostIP: 'no',
    VerifyHostKeyDNS: 'no',
    BatchMode: 'yes',
    IdentitiesOnly: 'yes',
    IdentityAgent: 'none',
    IdentityFile: hasKey ? configQuoted(home.key) : 'none',
    PreferredAuthentications: 'publickey',
    ForwardAgent: 'no',
    ForwardX11: 'no',
    PermitLocalCommand: 'no',
    ProxyCommand: 'none',
    ControlMaster: 'no',
    ControlPath: 'none',
    CanonicalizeHostname: 'no',
    ConnectTimeout: '20',
    ServerAliveInterval: '15',
    ServerAliveCountMax: '4',
    // Tells which key the host has shown (failure.ts); it goes to a file of its own, not to git's output.
    LogLevel: 'DEBUG1',
  };
  return `Host *\n${Object.entries(settings)
    .map(([name, value]) => `  ${name} ${value}\n`)
    .join('')}`;
}

/** ssh_config(5): in double quotes, and % begins a token. */
function configQuoted(path: string): string {
  return `"${path.replaceAll('%', '%%')}"`;
}

/** The name of a host in known_hosts (sshd(8)): with its port where that is not the usual one. */
export function knownHostName({ host, port }: GitUrl): string {
  return port === 22 ? host : `[${host}]:${port}`;
}
