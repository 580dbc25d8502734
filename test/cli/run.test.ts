import assert from 'node:assert/strict';
import { access } from 'node:fs/promises';
import { describe, it } from 'node:test';
import { commands } from '../../cli/commands/index.ts';
import { configPath, writeConfig } from '../../cli/config.ts';
import { describeCommand } from '../../cli/help.ts';
import { otherNames } from '../../cli/other-names.ts';
import { cli } from '../support/cli.ts';
import { answerProblem, scriptedServer } from '../support/http-server.ts';

describe('a command line', () => {
  const wrong: [string[], RegExp][] = [
    [['psh'], /no command "psh"\. Did you mean "push"\?\n.*svc --help/],
    [['frobnicate'], /no command "frobnicate"\.\n/],
    [['services', 'creat'], /no command "services creat"\. Did you mean "services create"\?/],
    [['jobs', '-x'], /There is no option -x\.\n.*svc jobs list --help/],
    [['jobs', 'lst'], /Did you mean "jobs list"/],
    [['services'], /needs one more word: create, update\.\n.*svc services --help/],
    [['login'], /no command "login"\. Did you mean "auth"\?/],
    [['ps', '-a'], /no command "ps"\. Did you mean "get services"\?/],
    [['push', '-x'], /There is no option -x\.\n/],
    [['services', 'list'], /Did you mean "get services"\?/],
    [['--profile', 'x', 'get'], /The command comes first/],
    [['push', '--projcet', 'x'], /no option --projcet\. Did you mean "--project"\?\n.*svc push --help/],
    [['push', '--dockerfile'], /Not enough arguments to option --dockerfile/],
    [['get'], /Not enough arguments: it takes <kind>\.\n.*svc get --help/],
    [['exec'], /Not enough arguments: it takes <service>\./],
    [['domain', 'list'], /no command "domain"\. Did you mean "domains"\?/],
    [['project', 'deploy-key', 'show'], /no command "project"\. Did you mean "projects"\?/],
    [['version', 'now'], /There is an argument too many\.\n.*svc version --help/],
    [['users', 'create', 'ada', 'hush'], /^(?![^]*hush)/],
    [['secrets', 'NAME=hush'], /^(?![^]*hush)[^]*no command/],
    [['projects', 'deploy-key'], /svc projects deploy-key needs one more word/],
    [['projects', 'deploy-key', 'shwo'], /Did you mean "projects deploy-key show"/],
    [['services', 'create', 'web', '-p', 'shop'], /It takes --port\.\n.*svc services create --help/],
    [['registries', 'add', 'ghcr.io', '-p', 'shop'], /It takes --username\.\n.*svc registries add --help/],
  ];
  for (const [argv, message] of wrong) {
    it(`is refused with 2: svc ${argv.join(' ')}`, async (test) => {
      const { code, stdout, stderr } = await (await cli(test)).svc(...argv);
      assert.deepEqual([code, stdout], [2, '']);
      assert.match(stderr, message);
      assert.match(stderr, /^svc: /);
    });
  }

  for (const argv of [[], ['--help'], ['-h'], ['help']]) {
    it(`shows every command: svc ${argv.join(' ')}`, async (test) => {
      const { code, stdout, stderr } = await (await cli(test)).svc(...argv);
      assert.deepEqual([code, stderr], [0, '']);
      for (const { path } of commands) assert.match(stdout, new RegExp(`^  ${path.join(' ')} `, 'm'));
    });
  }

  it('suggests only what there is for what other tools have', () => {
    const paths = commands.map(({ path }) => path.join(' '));
    const taking = ['get services', 'describe service', 'delete service'];
    for (const [other, ours] of otherNames) {
      assert.ok([...paths, ...taking].includes(ours), ours);
      assert.ok(!paths.some((path) => path === other || path.startsWith(`${other} `)), other);
    }
  });

  it('shows the commands of a group', async (test) => {
    const { code, stdout } = await (await cli(test)).svc('services', '--help');
    assert.equal(code, 0);
    assert.match(stdout, /services create/);
    assert.doesNotMatch(stdout, /push/);
  });

  for (const argv of [
    ['push', '--help'],
    ['help', 'push'],
    ['push', '--bogus', '-h'],
  ]) {
    it(`shows one command: svc ${argv.join(' ')}`, async (test) => {
      const { code, stdout, stderr } = await (await cli(test)).svc(...argv);
      assert.deepEqual([code, stderr], [0, '']);
      assert.match(
        stdout,
        /^Deploy the working tree, a Git repository or an image to a service\n\nUsage: svc push \[options\]\n/,
      );
    });
  }

  it('prints the version', async (test) => {
    for (const argv of [['version'], ['--version'], ['-v']]) {
      assert.deepEqual(await (await cli(test)).svc(...argv), { code: 0, stdout: 'svc 1.2.3\n', stderr: '' });
    }
  });
});

describe('an error', () => {
  const script = async (test: Parameters<typeof scriptedServer>[0]) => {
    const errors = [{ path: '/name', message: 'is \u001b[31mbad\u0007' }];
    const server = await scriptedServer(test, (_asked, response) =>
      answerProblem(response, 'internal', 'It \u009b31mbroke', { errors }),
    );
    return cli(test, { url: server.url });
  };

  it('is a sentence on stderr, what is wrong with what, and how to find it again', async (test) => {
    const { code, stdout, stderr } = await (await script(test)).svc('get', 'projects');
    assert.deepEqual([code, stdout], [1, '']);
    assert.equal(stderr, 'svc: It broke.\n       /name: is bad\n     Request id: req-1\n');
  });

  it('says one thing once', async (test) => {
    const errors = [{ path: '/name', message: 'is bad' }];
    const server = await scriptedServer(test, (_asked, response) =>
      answerProblem(response, 'invalid', 'The request body is invalid: /name is bad.', { errors }),
    );
    const { stderr } = await (await cli(test, { url: server.url })).svc('get', 'projects');
    assert.equal(stderr, 'svc: The request body is invalid: /name is bad.\n');
  });

  for (const flags of [['-o', 'json'], ['--output', 'json'], ['-o=json'], ['--output=json']]) {
    it(`is JSON with ${flags.join(' ')}`, async (test) => {
      const { code, stdout, stderr } = await (await script(test)).svc('get', 'projects', ...flags);
      assert.deepEqual([code, stdout], [1, '']);
      assert.deepEqual(JSON.parse(stderr), {
        error: {
          code: 'internal',
          detail: 'It \u009b31mbroke.',
          exit_code: 1,
          request_id: 'req-1',
          errors: [{ path: '/name', message: 'is \u001b[31mbad\u0007' }],
        },
      });
    });
  }

  it('of the command line is JSON too', async (test) => {
    const { code, stderr } = await (await cli(test)).svc('get', 'pods', '-o', 'json');
    assert.equal(code, 2);
    assert.equal((JSON.parse(stderr) as { error: { code: string } }).error.code, 'usage');
  });
});

describe('every command', () => {
  for (const { path, load } of commands) {
    it(`has the path of its file, a description, details and examples: ${path.join(' ')}`, async () => {
      const commandClass = await load();
      assert.deepEqual(commandClass.paths, [[...path]]);
      await access(new URL(`../../cli/commands/${path.join('/')}.ts`, import.meta.url));
      const help = describeCommand(commandClass);
      assert.match(help.description, /^[A-Z].*[^.]$/);
      assert.notEqual(help.category, '');
      assert.notEqual(help.details, '');
      assert.ok(help.examples.length > 0);
      for (const [, line] of help.examples) assert.match(line, new RegExp(`svc ${path.join(' ')}\\b`));
      for (const { flags, description } of help.options) assert.notEqual(description, '', flags);
    });
  }
});

describe('a login', () => {
  it('is needed, and the error says how', async (test) => {
    const world = await cli(test);
    assert.deepEqual(await world.svc('get', 'services'), {
      code: 3,
      stdout: '',
      stderr: 'svc: Nobody is logged in.\n     Log in with: svc auth\n',
    });
    assert.match((await world.svc('get', 'services', '--profile', 'prod')).stderr, /svc auth --profile prod/);
  });

  it('that no longer holds says how to renew that one', async (test) => {
    const { url } = await scriptedServer(test, (_asked, response) =>
      answerProblem(response, 'unauthenticated', 'No.'),
    );
    const user = await cli(test);
    await writeConfig(configPath(user.configDir, 'prod'), { url, token: 'svc_api_old' });
    assert.match(
      (await user.svc('get', 'projects', '--profile', 'prod')).stderr,
      /svc auth --profile prod\n/,
    );
    assert.match((await (await cli(test, { url })).svc('get', 'projects')).stderr, /Set SVC_TOKEN to one/);
  });

  for (const env of [{ SVC_URL: 'http://127.0.0.1:1' }, { SVC_TOKEN: 'svc_api_hush' }]) {
    it(`is not made of ${Object.keys(env).join()} alone`, async (test) => {
      const { code, stderr } = await (await cli(test, { env })).svc('get', 'services');
      assert.equal(code, 2);
      assert.match(stderr, /go together/);
      assert.doesNotMatch(stderr, /hush/);
    });
  }

  it('is not quoted when it is no token', async (test) => {
    const { code, stderr } = await (
      await cli(test, { env: { SVC_URL: 'http://127.0.0.1:1', SVC_TOKEN: 'hush\nhush' } })
    ).svc('get', 'services');
    assert.equal(code, 2);
    assert.doesNotMatch(stderr, /hush/);
  });
});
