/** Git as this node clones with it: where, with which keys, and from whom. */
import { lookup } from 'node:dns/promises';
import { join } from 'node:path';
import { openClones, type Clones } from '../../controllers/git/clone.ts';
import { deployKeysIn } from '../../controllers/git/deploy-key.ts';
import { knownHostsIn } from '../../controllers/git/known-hosts.ts';
import type { Clock, Random } from '../../specs/clock.ts';
import type { NodeSettings } from './settings.ts';
import type { State } from './state.ts';
import { trustAsTheMachine } from './trust.ts';

/** Where programs are, for a node that was started without a path. */
const usualPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Removes what an earlier control plane has left of its clones, their keys before all. */
export function clonesOf(
  { dataDir, runDir, store }: Pick<State, 'dataDir' | 'runDir' | 'store'>,
  { fetchAllow: allow }: Pick<NodeSettings, 'fetchAllow'>,
  { clock, random }: { clock: Clock; random: Random },
): Promise<Clones> {
  trustAsTheMachine();
  return openClones({
    roots: { homes: join(runDir, 'git'), works: join(dataDir, 'git') },
    knownHosts: knownHostsIn(store, { clock, random }),
    deployKey: deployKeysIn({ store, vault: store.vault }),
    // As this machine knows hosts, its hosts file included: a Git host may well have no other name.
    lookup: async (host) => (await lookup(host, { all: true })).map(({ address }) => address),
    path: process.env['PATH'] ?? usualPath,
    // As OpenSSL and Go have it; of Node see trust.ts.
    certificateFile: process.env['SSL_CERT_FILE'],
    ...{ allow, clock },
  });
}
