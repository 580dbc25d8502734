/** Runs command lines in this process, with a configuration directory and a working directory of their own. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable, Writable } from 'node:stream';
import type { TestContext } from 'node:test';
import { createContext } from '../../cli/context.ts';
import { run } from '../../cli/run.ts';
import { systemClock } from '../../cli/system-clock.ts';
import type { Clock } from '../../specs/clock.ts';
import type { TestApi } from './api.ts';

export interface Outcome {
  code: number;
  stdout: string;
  stderr: string;
}

export interface CliOptions {
  /** Logged in there, through SVC_URL and SVC_TOKEN. */
  url?: string;
  token?: string;
  /** Beside SVC_CONFIG_DIR. */
  env?: Record<string, string>;
  clock?: Clock;
}

export interface Cli {
  /** Configuration directory. It is not there until something writes to it. */
  configDir: string;
  /** Working directory, empty at first. */
  cwd: string;
  svc(...argv: string[]): Promise<Outcome>;
  /** The same, with something on standard input. */
  feed(stdin: string | Buffer, ...argv: string[]): Promise<Outcome>;
  /** The same on a terminal, where these lines are typed ahead. */
  type(lines: readonly string[], ...argv: string[]): Promise<Outcome>;
  /** A run that can be looked at and interrupted while it goes on. */
  start(...argv: string[]): {
    outcome: Promise<Outcome>;
    stdout(): string;
    stderr(): string;
    interrupt(): void;
  };
}

export async function cli(
  test: TestContext,
  { url, token, env = {}, clock = systemClock }: CliOptions = {},
): Promise<Cli> {
  const home = await mkdtemp(join(tmpdir(), 'svc-cli-'));
  test.after(() => rm(home, { recursive: true, force: true }));
  const [configDir, cwd] = [join(home, 'config'), await mkdtemp(join(home, 'work-'))];
  const login = url === undefined ? {} : { SVC_URL: url, SVC_TOKEN: token ?? 'svc_api_test' };

  function start(stdin: string | Buffer, argv: string[], more: object = {}) {
    const [stdout, stderr] = [collector(), collector()];
    const listeners: (() => void)[] = [];
    const context = createContext({
      env: { SVC_CONFIG_DIR: configDir, PATH: process.env['PATH'], HOME: home, ...login, ...env },
      stdin: Object.assign(Readable.from([Buffer.from(stdin)]), more),
      ...{ stdout: stdout.stream, stderr: stderr.stream, cwd, clock },
      ...{ user: 'gh', hostname: 'laptop', version: '1.2.3' },
      onInterrupt: (listener) => void listeners.push(listener),
      onHangup: () => undefined,
    });
    const outcome = run(argv, context).then((code) => ({
      code,
      stdout: stdout.text(),
      stderr: stderr.text(),
    }));
    const interrupt = () => {
      for (const listener of listeners) listener();
    };
    return { outcome, stdout: stdout.text, stderr: stderr.text, interrupt };
  }

  return {
    configDir,
    cwd,
    svc: (...argv) => start('', argv).outcome,
    feed: (stdin, ...argv) => start(stdin, argv).outcome,
    type: (lines, ...argv) => start(lines.map((line) => `${line}\n`).join(''), argv, { isTTY: true }).outcome,
    start: (...argv) => start('', argv),
  };
}

/** A real server in front of a test API, for a client. */
export async function listening({ app }: TestApi): Promise<string> {
  return app.listen({ host: '127.0.0.1', port: 0 });
}

/** The wall clock of an API that stands still, with timers that run. */
export function clockOf({ clock }: TestApi): Clock {
  return { now: () => clock.now(), after: systemClock.after };
}

/** Text with what differs from run to run taken out: ids, and the ports of test servers. */
export function golden(text: string): string {
  return text
    .replaceAll(/\b(dep|svc|prj|rep|upl|tok|usr|reg|key|aud)_[0-9a-z]{26}/g, '$1_…')
    .replaceAll(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT');
}

function collector(): { stream: Writable; text: () => string } {
  const chunks: Buffer[] = [];
  const stream = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  return { stream, text: () => Buffer.concat(chunks).toString() };
}
