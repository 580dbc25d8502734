/** The store of a node: its data directory locked, its database opened, and both known to belong together. */
import { join } from 'node:path';
import type { Random } from '../../specs/clock.ts';
import { sqliteFile } from './database-url.ts';
import { lockDataDir } from './lock.ts';
import { bindNodeId, requireDatabase } from './node-id.ts';
import { openStore, type OpenStore, type StoreOptions } from './open.ts';

export interface NodeStoreOptions extends Omit<StoreOptions, 'file'> {
  dataDir: string;
  /** `sqlite:<path>`; `svc.db` in the data directory when absent. */
  databaseUrl?: string;
  random: Random;
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
  random,
  ...options
}: NodeStoreOptions): Promise<NodeStore> {
  const file = databaseUrl === undefined ? join(dataDir, 'svc.db') : sqliteFile(databaseUrl);
  const unlock = lockDataDir(dataDir);
  let store: OpenStore | undefined;
  try {
    requireDatabase(dataDir, file);
    store = await openStore({ file, ...options });
    const opened = store;
    const nodeId = await bindNodeId(dataDir, store.meta, random);
    return { store, nodeId, close: () => opened.close().finally(unlock) };
  } catch (error) {
    await store?.close();
    unlock();
    throw error;
  }
}
