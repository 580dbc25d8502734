/** What a project knows of Git hosts: the key of each as it was first seen, kept as a row that people can read and take away. */
import { createHash } from 'node:crypto';
import type { Store } from '../../api/store/store.ts';
import type { Clock, Random } from '../../specs/clock.ts';
import type { KnownHostSpec } from '../../specs/known-host.ts';
import { newId } from '../../specs/meta.ts';

export interface KnownHosts {
  /** @param host as known_hosts names it */
  find(projectId: string, host: string): Promise<KnownHostSpec | undefined>;
  /** Keeps what was seen at the first use. A key that is there already stays: the first one counts. */
  pin(projectId: string, spec: KnownHostSpec): Promise<void>;
}

export function knownHostsIn(store: Store, { clock, random }: { clock: Clock; random: Random }): KnownHosts {
  return {
    async find(projectId, host) {
      return (await store.find('KnownHost', projectId, host))?.spec;
    },
    pin: (projectId, spec) =>
      store.write(async (writer) => {
        const project = await writer.get('Project', projectId);
        if (!project || (await writer.find('KnownHost', projectId, spec.host))) return;
        await writer.create('KnownHost', {
          id: newId('known-host', clock.now(), random(10)),
          name: spec.host,
          owner: projectId,
          spec,
          status: { conditions: [] },
        });
      }),
  };
}

/** Reads the lines that ssh has added for a host; undefined when there are none. */
export function readKnownHost(host: string, text: string): KnownHostSpec | undefined {
  const lines = text.split('\n').filter((line) => line.startsWith(`${host} `));
  if (lines.length === 0) return undefined;
  return { host, lines, fingerprints: lines.map((line) => fingerprintOf(line.split(' ')[2] ?? '')) };
}

/** A key as a host shows it. */
export interface HostKey {
  /** As in known_hosts: `ssh-ed25519`. */
  type: string;
  /** In base64. */
  key: string;
}

/**
 * Adds the keys of other types that a scan has found; none of them if the scan met another host than ssh did, that is one
 * with another key of the same type.
 */
export function withScanned(seen: KnownHostSpec, scanned: readonly HostKey[]): KnownHostSpec {
  const has = (type: string, key?: string): boolean =>
    seen.lines.some(
      (line) => line.split(' ')[1] === type && (key === undefined || line.split(' ')[2] === key),
    );
  if (scanned.some(({ type, key }) => has(type) && !has(type, key))) return seen;
  const others = scanned.filter(({ type }) => !has(type));
  return {
    host: seen.host,
    lines: [...seen.lines, ...others.map(({ type, key }) => `${seen.host} ${type} ${key}`)],
    fingerprints: [...seen.fingerprints, ...others.map(({ key }) => fingerprintOf(key))],
  };
}

/** As ssh-keygen -l prints it: the SHA-256 of the key in base64 without padding. */
function fingerprintOf(key: string): string {
  const hash = createHash('sha256').update(Buffer.from(key, 'base64')).digest('base64');
  return `SHA256:${hash.replace(/=+$/, '')}`;
}
