import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { readFileSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { bootstrapTokenVerifier } from '../../../api/auth/bootstrap-token.ts';
import { openNodeStore, type NodeStore } from '../../../api/store/node-store.ts';
import { ensureNodeKey, nodeKeyRotation, readNodeKeys, settleNodeKey } from '../../../cli/daemon/node-key.ts';
import { setup } from '../../../cli/daemon/setup.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { recordingLog, type LogLine } from '../../support/recording-log.ts';
import { aSecret, refTo, seal } from '../../support/secrets.ts';
import { temporaryDirectory } from '../../support/temporary-directory.ts';

const directory = temporaryDirectory();

describe('the node key', () => {
  let dataDir: string;
  let configDir: string;
  let node: NodeStore;
  let log: { lines: LogLine[] };
  let count = 0;

  /** As a node starts. */
  async function start(): Promise<void> {
    const recording = recordingLog();
    log = recording;
    const readKeys = () => readNodeKeys(dataDir, randomBytes);
    node = await openNodeStore({
      ...{ dataDir, clock: new ManualClock(), random: randomBytes, log: recording },
      readNodeKeys: readKeys,
    });
    await settleNodeKey(dataDir, node.store.nodeKey());
  }
  const restart = async (): Promise<void> => {
    await node.close();
    await start();
  };
  const keyFiles = () => readdirSync(dataDir).filter((name) => name.startsWith('node.key'));
  const keyFile = () => readFileSync(join(dataDir, 'node.key'));
  const rotation = (rotate = node.store.vault.rotate) =>
    nodeKeyRotation({ dataDir, vault: { rotate }, nodeKey: node.store.nodeKey, random: randomBytes });

  /** Everything is under one key, which is the one in the file, and nothing of a rotation is left. */
  async function isWhole(version: number): Promise<void> {
    assert.deepEqual(keyFiles(), ['node.key']);
    assert.equal(statSync(join(dataDir, 'node.key')).mode & 0o777, 0o600);
    assert.deepEqual(keyFile(), node.store.nodeKey());
    assert.equal(node.store.vault.keyVersion(), version);
    assert.equal(await node.store.vault.open(refTo(1)), 'hunter2');
    assert.deepEqual(
      log.lines.filter(({ level }) => level === 'error'),
      [],
    );
  }

  beforeEach(async () => {
    dataDir = join(directory, String(++count), 'data');
    configDir = join(directory, String(count), 'config');
    await setup({ dataDir, configDir, force: false });
    await start();
    await seal(node.store, aSecret());
  });
  afterEach(() => node.close());

  it('is made once, 32 bytes that only their owner reads', async () => {
    const first = keyFile();
    assert.equal(first.length, 32);
    assert.equal((await ensureNodeKey(dataDir, randomBytes)).made, false);
    await restart();
    assert.deepEqual(keyFile(), first);
    await isWhole(1);
  });

  it('is refused when it is of another size, without a word of it', async () => {
    await node.close();
    const key = keyFile();
    writeFileSync(join(dataDir, 'node.key'), 'a text of somebody');
    await assert.rejects(start(), (error: Error) => {
      assert.match(error.message, /node\.key is no node key \(18 bytes instead of 32\): restore it/);
      assert.doesNotMatch(error.message, /somebody/);
      return true;
    });
    writeFileSync(join(dataDir, 'node.key'), key);
    await start();
    await isWhole(1);
  });

  it('is replaced by a rotation, at once and for the next start', async () => {
    const before = keyFile();
    const rotated = await rotation()();
    assert.deepEqual([rotated.key_version, rotated.resealed, rotated.unreadable], [2, 1, 0]);
    assert.match(rotated.message, /Every bootstrap token made before is void.*svc setup --force/);
    assert.notDeepEqual(keyFile(), before);
    await isWhole(2);
    await restart();
    await isWhole(2);
    await rotation()();
    await isWhole(3);
  });

  it('is rotated by one at a time', async () => {
    const rotate = rotation();
    const [first, second] = await Promise.allSettled([rotate(), rotate()]);
    assert.equal(first.status, 'fulfilled');
    assert.equal(second.status === 'rejected' && (second.reason as { code: string }).code, 'conflict');
    await rotate();
    await isWhole(3);
  });

  describe('when the node goes down', () => {
    it('while the new one is written, is the old one', async () => {
      writeFileSync(join(dataDir, 'node.key.next.part'), randomBytes(7), { mode: 0o600 });
      await restart();
      await isWhole(1);
    });

    it('before the database is sealed anew, is the old one', async () => {
      const [before, cut] = [keyFile(), new Error('cut')];
      await assert.rejects(rotation(() => Promise.reject(cut))(), cut);
      assert.deepEqual(keyFiles(), ['node.key', 'node.key.next']);
      assert.equal(statSync(join(dataDir, 'node.key.next')).mode & 0o777, 0o600);
      await restart();
      assert.deepEqual(keyFile(), before);
      await isWhole(1);
    });

    it('once the database is sealed anew, is the new one', async () => {
      const [before, cut] = [keyFile(), new Error('cut')];
      const { rotate } = node.store.vault;
      await assert.rejects(rotation((key) => rotate(key).then(() => Promise.reject(cut)))(), cut);
      assert.deepEqual(keyFile(), before);
      await restart();
      assert.notDeepEqual(keyFile(), before);
      await isWhole(2);
    });

    it('in the middle of ending an interrupted rotation, is the same again', async () => {
      const [next, cut] = [join(dataDir, 'node.key.next'), new Error('cut')];
      const { rotate } = node.store.vault;
      await assert.rejects(rotation((key) => rotate(key).then(() => Promise.reject(cut)))(), cut);
      const [pending, old] = [readFileSync(next), keyFile()];
      await node.close();
      // It was opened, and the power went before the file got its name.
      await start();
      await node.close();
      writeFileSync(join(dataDir, 'node.key'), old);
      writeFileSync(next, pending, { mode: 0o600 });
      await start();
      await isWhole(2);
    });
  });

  describe('whose rotation fails while the node goes on', () => {
    for (const committed of [false, true]) {
      it(`${committed ? 'after' : 'before'} the commit is rotated by the next try`, async () => {
        const [cut, keys] = [new Error('cut'), [] as Buffer[]];
        const { rotate } = node.store.vault;
        const failing = rotation(async (key) => {
          keys.push(key);
          if (committed) await rotate(key);
          throw cut;
        });
        await assert.rejects(failing(), cut);
        const again = rotation((key) => {
          keys.push(key);
          return rotate(key);
        });
        await again();
        // The same key where it may yet turn out that the first commit is on the disk.
        assert.equal(keys[0]?.equals(keys[1] ?? Buffer.of()), !committed);
        await isWhole(committed ? 3 : 2);
        await restart();
        await isWhole(committed ? 3 : 2);
      });
    }
  });

  it('that is lost is made anew, and opens everything once it is back', async () => {
    const lost = keyFile();
    await node.close();
    rmSync(join(dataDir, 'node.key'));
    await start();
    assert.match(
      String(log.lines.find(({ level }) => level === 'error')?.message),
      /Put the right node\.key back/,
    );
    await assert.rejects(node.store.vault.open(refTo(1)), { reason: 'unreadable' });
    await node.close();
    writeFileSync(join(dataDir, 'node.key'), lost);
    await start();
    assert.equal(await node.store.vault.open(refTo(1)), 'hunter2');
  });

  describe('and the bootstrap token', () => {
    const token = () => readFileSync(join(configDir, 'bootstrap.token'), 'utf8').trim();
    const isGood = () => bootstrapTokenVerifier(() => node.store.nodeKey(), randomBytes)(token());

    it('void the ones made before a rotation, and sign the next', async () => {
      assert.equal(isGood(), true);
      await rotation()();
      assert.equal(isGood(), false);
      await setup({ dataDir, configDir, force: true });
      assert.equal(isGood(), true);
    });

    it('make none while it is open which key is in use', async () => {
      const [before, cut] = [token(), new Error('cut')];
      const { rotate } = node.store.vault;
      await assert.rejects(rotation((key) => rotate(key).then(() => Promise.reject(cut)))(), cut);
      await assert.rejects(setup({ dataDir, configDir, force: true }), /is being rotated.*svc serve/);
      assert.equal(token(), before);
      await restart();
      await setup({ dataDir, configDir, force: true });
      assert.equal(isGood(), true);
    });
  });
});
