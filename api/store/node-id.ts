/**
 * The id of a node, which binds its data directory, its database and (as a label) its containers. An empty or foreign
 * database must never mean "delete everything": when the two differ, the node does not start.
 */
import {
  closeSync,
  existsSync,
  fsyncSync,
  openSync,
  readFileSync,
  renameSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import type { Random } from '../../specs/clock.ts';
import type { Meta } from './meta.ts';
import { syncDirectory } from './sqlite-file.ts';

const metaName = 'node_id';
const advice =
  'Put the database of this node back (SERVICE_DATABASE_URL, or a backup), or start with an empty --data-dir to make a new node.';

/** Throws when the database that belongs to this directory is gone. Called before a new one is made in its place. */
export function requireDatabase(dataDir: string, file: string): void {
  const id = read(idFile(dataDir));
  if (id === undefined || (existsSync(file) && statSync(file).size > 0)) return;
  throw new Error(
    `${dataDir} belongs to node ${id}, but its database ${file} is missing or empty. ${advice}`,
  );
}

/**
 * Makes sure that a database belongs to a data directory; a new directory and a new database get a new id.
 * The id goes to a draft, to the database and to its file, in this order, so that a crash in between is made good by the
 * next start and never looks like a foreign database.
 * @returns 16 hexadecimal digits
 */
export async function bindNodeId(dataDir: string, meta: Meta, random: Random): Promise<string> {
  const ofDatabase = await meta.get(metaName);
  const ofDirectory = read(idFile(dataDir));
  if (ofDirectory !== undefined) {
    if (ofDirectory === ofDatabase) return ofDirectory;
    const found =
      ofDatabase === undefined ? 'the database belongs to none' : `the database to node ${ofDatabase}`;
    throw new Error(`${dataDir} belongs to node ${ofDirectory}, but ${found}. ${advice}`);
  }

  const draft = read(draftFile(dataDir));
  if (ofDatabase !== undefined && ofDatabase !== draft) {
    throw new Error(
      `The database belongs to node ${ofDatabase}, but ${dataDir} to none. If this directory shall become that node ` +
        `and no other runs as it, write the id to ${idFile(dataDir)}. Otherwise use another database.`,
    );
  }
  const id = draft ?? Buffer.from(random(8)).toString('hex');
  if (draft === undefined) writeDurably(draftFile(dataDir), id);
  if (ofDatabase === undefined) await meta.add(metaName, id);
  renameSync(draftFile(dataDir), idFile(dataDir));
  syncDirectory(dataDir);
  return id;
}

function idFile(dataDir: string): string {
  return join(dataDir, 'node.id');
}

function draftFile(dataDir: string): string {
  return join(dataDir, 'node.id.draft');
}

/** The id in a file; undefined when the file is not there, or was being written when the power went. */
function read(path: string): string | undefined {
  const text = existsSync(path) ? readFileSync(path, 'utf8').trim() : '';
  return text === '' ? undefined : text;
}

function writeDurably(path: string, id: string): void {
  const file = openSync(path, 'w', 0o600);
  writeSync(file, `${id}\n`);
  fsyncSync(file);
  closeSync(file);
  syncDirectory(dirname(path));
}
