/** What git and ssh make of their configuration: asked of themselves, not compared with a text. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { promisify } from 'node:util';
import {
  environment,
  gitConfig,
  homePaths,
  knownHostName,
  sshConfig,
} from '../../../controllers/git/environment.ts';
import { parseGitUrl, type GitUrl } from '../../../specs/git-source.ts';
import { scratchDir } from '../../support/archives.ts';

const exec = promisify(execFile);

function gitUrl(text: string): GitUrl {
  const parsed = parseGitUrl(text);
  assert.ok('git' in parsed);
  return parsed.git;
}

const path = process.env['PATH'] ?? '';

describe('the environment of git', () => {
  it('has nothing of the node but its path', () => {
    const home = homePaths('/run/svc/n/git/dep_1');
    const env = environment(home, '/usr/bin');
    assert.deepEqual(
      Object.keys(env)
        .filter((name) => !name.startsWith('GIT_'))
        .sort(),
      ['HOME', 'LC_ALL', 'PATH', 'SSH_ASKPASS'],
    );
    assert.equal(env['HOME'], home.dir);
    assert.equal(env['GIT_ALLOW_PROTOCOL'], 'https:ssh');
    assert.equal(env['GIT_TERMINAL_PROMPT'], '0');
  });

  it('is read by git as it is meant, whatever the path of the home', async (t) => {
    const dir = join(await scratchDir(t), "a 'home' 100%");
    const home = homePaths(dir);
    await mkdir(dir);
    await writeFile(
      home.gitConfig,
      gitConfig(home, gitUrl('https://git.example.com:8443/x'), ['192.0.2.7', '2001:db8::7']),
    );
    const get = async (name: string) =>
      (
        await exec('git', ['config', '--global', '--get', name], { cwd: dir, env: environment(home, path) })
      ).stdout.trim();
    assert.equal(await get('http.curloptResolve'), 'git.example.com:8443:192.0.2.7,[2001:db8::7]');
    assert.equal(await get('http.followRedirects'), 'false');
    assert.equal(await get('core.hooksPath'), '/dev/null');
    assert.equal(await get('protocol.allow'), 'never');
    assert.equal(await get('protocol.ssh.allow'), 'always');
    assert.equal(await get('transfer.fsckObjects'), 'true');
    const { stdout } = await exec('sh', ['-c', `printf '%s\\n' ${(await get('core.sshCommand')).slice(4)}`]);
    assert.deepEqual(stdout.trim().split('\n'), ['-F', home.sshConfig, '-E', home.sshLog]);
  });

  for (const url of ['ext::touch x', 'file:///tmp', 'http://127.0.0.1/x', 'git://127.0.0.1/x', 'fd::0']) {
    it(`lets git open no ${url}, should one ever get so far`, async (t) => {
      const dir = await scratchDir(t);
      const home = homePaths(dir);
      await writeFile(home.gitConfig, gitConfig(home, gitUrl('https://git.example.com/x'), ['192.0.2.7']));
      const run = exec('git', ['ls-remote', url], { cwd: dir, env: environment(home, path) });
      await assert.rejects(run, /transport '\w+' not allowed/);
    });
  }
});

describe('the configuration of ssh', () => {
  it('is one host at one address, and nothing of the node', async (t) => {
    const dir = join(await scratchDir(t), 'a 100% home');
    await mkdir(dir);
    const home = homePaths(dir);
    const git = gitUrl('ssh://git@git.example.com:2222/x');
    const target = { git, address: '192.0.2.7', knownAs: knownHostName(git), hasKey: true, isKnown: false };
    const effective = async (isKnown: boolean, hasKey: boolean) => {
      await writeFile(home.sshConfig, sshConfig(home, { ...target, isKnown, hasKey }));
      const { stdout } = await exec('ssh', ['-G', '-F', home.sshConfig, '-p', '2222', 'git@git.example.com']);
      return new Map(
        stdout
          .trim()
          .split('\n')
          .map((line) => [line.split(' ', 1)[0] ?? '', line.slice(line.indexOf(' ') + 1)]),
      );
    };
    const first = await effective(false, true);
    for (const [name, value] of [
      ['hostname', '192.0.2.7'],
      ['hostkeyalias', '[git.example.com]:2222'],
      ['stricthostkeychecking', 'accept-new'],
      ['userknownhostsfile', home.knownHosts],
      // Told as it is written: % begins a token.
      ['identityfile', home.key.replace('%', '%%')],
      ['identitiesonly', 'yes'],
      ['batchmode', 'yes'],
      ['passwordauthentication', 'yes'],
      ['preferredauthentications', 'publickey'],
      ['forwardagent', 'no'],
      ['permitlocalcommand', 'no'],
    ] as const)
      assert.equal(first.get(name), value, name);
    assert.equal(first.get('proxycommand'), undefined);
    const later = await effective(true, false);
    assert.equal(later.get('stricthostkeychecking'), 'true');
    assert.equal(later.get('identityfile'), 'none');
  });

  it('names a host as known_hosts does', () => {
    assert.equal(knownHostName(gitUrl('git@git.example.com:x')), 'git.example.com');
    assert.equal(knownHostName(gitUrl('ssh://git.example.com:2222/x')), '[git.example.com]:2222');
  });
});
