/** The store of a node: its data directory locked, its database opened, and both known to belong together. */
import { join } from 'node:path';
import { sqliteFile } from './database-url.ts';
import { lockDataDir } from './lock.ts';
import type { Meta } from './meta.ts';
import { bindNodeId, requireDatabase } from './node-id.ts';
import { openStore, type OpenStore, type StoreOptions } from './open.ts';

export interface NodeStoreOptions extends Omit<StoreOptions, 'file' | 'nodeKeys' | 'accept'> {
  dataDir: string;
  /** Reads the node keys (StoreOptions). Called once the directory is locked: before that another process may change them. */
  readNodeKeys: () => Promise<readonly Buffer[]>;
  /** `sqlite:<path>`; `svc.db` in the data directory when absent. */
  databaseUrl?: string;
}

export interface NodeStore {
  store: OpenStore;
  /** 16 hexadecimal digits, the same for ever; the label of everything that this node makes. */
  nodeId: string;
  /** Closes the database and unlocks the directory. */
  close(): Promise<void>;
}

/** Throws an Error that says what to do when another process has the directory, or the database is not its own or unusable. */
export async function openNodeStore({
  dataDir,
  databaseUrl,
  readNodeKeys,
  ...options
}: NodeStoreOptions): Promise<NodeStore> {
  const file = databaseUrl === undefined ? join(dataDir, 'svc.db') : sqliteFile(databaseUrl);
  const unlock = lockDataDir(dataDir);
  try {
    requireDatabase(dataDir, file);
    let nodeId = '';
    const accept = async (meta: Meta): Promise<void> => {
      nodeId = await bindNodeId(dataDir, meta, options.random);
    };
    const store = await openStore({ file, nodeKeys: await readNodeKeys(), accept, ...options });
    return { store, nodeId, close: () => store.close().finally(unlock) };
  } catch (error) {
    unlock();
    throw error;
  }
}
