import assert from 'node:assert/strict';
import { chmod, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import {
  configDir,
  configPath,
  normaliseUrl,
  readBootstrapToken,
  readConfig,
  writeConfig,
} from '../../cli/config.ts';
import { CliError } from '../../cli/errors.ts';

async function folder(test: TestContext): Promise<string> {
  const path = await mkdtemp(join(tmpdir(), 'svc-config-'));
  test.after(() => rm(path, { recursive: true, force: true }));
  return path;
}

describe('the configuration directory', () => {
  const rows: [Record<string, string>, string][] = [
    [{ SVC_CONFIG_DIR: '/a', XDG_CONFIG_HOME: '/b', HOME: '/c' }, '/a'],
    [{ XDG_CONFIG_HOME: '/b', HOME: '/c' }, '/b/svc'],
    [{ HOME: '/c' }, '/c/.config/svc'],
    [{ SVC_CONFIG_DIR: '', XDG_CONFIG_HOME: '', HOME: '/c' }, '/c/.config/svc'],
  ];
  for (const [env, path] of rows) {
    it(`is ${path} with ${JSON.stringify(env)}`, () => assert.equal(configDir(env), path));
  }

  it('holds a file per profile', () => {
    assert.equal(configPath('/a', undefined), '/a/client.toml');
    assert.equal(configPath('/a', 'prod.eu-1'), '/a/client.prod.eu-1.toml');
  });

  for (const profile of ['', '../x', 'a/b', '.', '..', 'a b', 'a\n', 'x'.repeat(65)]) {
    it(`has no file for the profile ${JSON.stringify(profile)}`, () => {
      assert.throws(() => configPath('/a', profile), { name: 'CliError', exitCode: 2 });
    });
  }
});

describe('a saved login', () => {
  it('comes back as it was written, and is nothing but url and token', async (test) => {
    const path = join(await folder(test), 'new', 'client.toml');
    await writeConfig(path, { url: 'https://example.com', token: 'svc_api_abc' });
    assert.equal(await readFile(path, 'utf8'), 'url = "https://example.com"\ntoken = "svc_api_abc"\n');
    assert.deepEqual(await readConfig(path), { url: 'https://example.com', token: 'svc_api_abc' });
  });

  for (const mask of [0o022, 0o000, 0o077]) {
    it(`is for its owner alone under umask ${mask.toString(8)}`, async (test) => {
      const path = join(await folder(test), 'new', 'client.toml');
      const before = process.umask(mask);
      test.after(() => process.umask(before));
      await writeConfig(path, { url: 'https://example.com', token: 'svc_api_abc' });
      assert.equal((await stat(path)).mode & 0o777, 0o600);
      assert.equal((await stat(dirname(path))).mode & 0o077, 0);
    });
  }

  it('replaces one that others could read, and leaves no draft behind', async (test) => {
    const dir = await folder(test);
    const path = join(dir, 'client.toml');
    await writeFile(path, 'url = "http://old"\ntoken = "old"\n', { mode: 0o644 });
    await chmod(path, 0o644);
    await writeConfig(path, { url: 'https://example.com', token: 'svc_api_abc' });
    assert.equal((await stat(path)).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(dir), ['client.toml']);
  });

  it('leaves no draft behind where it could not be saved', async (test) => {
    const dir = await folder(test);
    await mkdir(join(dir, 'client.toml', 'in-the-way'), { recursive: true });
    await assert.rejects(
      writeConfig(join(dir, 'client.toml'), { url: 'https://example.com', token: 'svc_api_abc' }),
    );
    assert.deepEqual(await readdir(dir), ['client.toml']);
  });

  it('is undefined where there is no file', async (test) => {
    assert.equal(await readConfig(join(await folder(test), 'client.toml')), undefined);
  });

  for (const text of [
    'url = "http://x"',
    'token = "t"',
    'url = 1\ntoken = "hush-hush"',
    'url = "http://x"\ntoken = "hush hush\\n"',
    'token = "hush-hush" x',
  ]) {
    it(`is refused, and not quoted, when the file says ${JSON.stringify(text)}`, async (test) => {
      const path = join(await folder(test), 'client.toml');
      await writeFile(path, text);
      await assert.rejects(readConfig(path), (error) => {
        assert.ok(error instanceof CliError);
        assert.equal(error.exitCode, 3);
        assert.doesNotMatch(JSON.stringify([error.message, error.next, String(error.cause)]), /hush/);
        return true;
      });
    });
  }
});

describe('the address of a node', () => {
  const rows: [string, string][] = [
    ['https://example.com', 'https://example.com'],
    ['https://example.com/', 'https://example.com'],
    ['http://127.0.0.1:9400/base//', 'http://127.0.0.1:9400/base'],
    ['example.com', 'https://example.com'],
    ['localhost:9400', 'http://localhost:9400'],
    ['127.0.0.1:9400', 'http://127.0.0.1:9400'],
    ['[::1]:9400', 'http://[::1]:9400'],
    ['HTTPS://Example.COM:443', 'https://example.com'],
  ];
  for (const [text, url] of rows) it(`${text} is ${url}`, () => assert.equal(normaliseUrl(text), url));

  for (const text of [
    '',
    'ftp://x',
    'file:///etc/passwd',
    'https://',
    'http://u:p@x',
    'http://x?a=b',
    'http://x#y',
    'http://a b',
  ]) {
    it(`is not ${JSON.stringify(text)}`, () =>
      assert.throws(() => normaliseUrl(text), { name: 'CliError', exitCode: 2 }));
  }

  it('is not quoted when it holds a password', () => {
    assert.throws(
      () => normaliseUrl('http://me:hush@exa mple'),
      (error: Error) => !error.message.includes('hush'),
    );
  });
});

describe('the bootstrap token', () => {
  it('is what the file says, without the line end', async (test) => {
    const dir = await folder(test);
    await writeFile(join(dir, 'bootstrap.token'), 'svc_boot_abc\n');
    assert.equal(await readBootstrapToken(dir), 'svc_boot_abc');
  });

  it('says what to do where there is none', async (test) => {
    await assert.rejects(readBootstrapToken(await folder(test)), {
      name: 'CliError',
      exitCode: 3,
      next: /svc setup/,
    });
  });
});
