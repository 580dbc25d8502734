/** What it costs to hide secrets in the output of a workload, beside what a line of a log costs anyway. */
import { randomBytes } from 'node:crypto';
import { cutLine } from '../../../controllers/logs/cut.ts';
import { numbered } from '../../../controllers/logs/log-file.ts';
import { createMasks } from '../../../specs/mask.ts';

type Work = (line: string) => unknown;

const wrapped = (bytes: number): string => randomBytes(bytes).toString('base64').replaceAll(/.{64}/g, '$&\n');
/** Twenty, as a service may have them: URLs, tokens, keys of many lines. */
const secrets = Array.from({ length: 5 }, () => [
  `postgres://app:${randomBytes(12).toString('hex')}@db.internal:5432/app?sslmode=require`,
  randomBytes(24).toString('base64'),
  `sk_live_${randomBytes(20).toString('hex')}`,
  `-----BEGIN RSA PRIVATE KEY-----\n${wrapped(1_200)}\n-----END RSA PRIVATE KEY-----\n`,
]).flat();

const count = 20_000;
const made = (line: (index: number) => string): string[] =>
  // Through bytes, as lines come from an engine.
  Array.from({ length: count }, (_, index) => Buffer.from(line(index)).toString());
const outputs: Readonly<Record<string, string[]>> = {
  'access log': made(
    (n) =>
      `127.0.0.1 - - [31/Jul/2026:12:00:${n % 60} +0000] "GET /products/${n}?page=${n % 7} HTTP/1.1" 200 ${n * 7}`,
  ),
  JSON: made((n) =>
    JSON.stringify({ level: 30, time: n, msg: 'request completed', url: `/v1/items/${n}`, ms: n / 7 }),
  ),
  base64: made(() => randomBytes(90).toString('base64')),
  colours: made(
    (n) =>
      `\u001b[32minfo\u001b[0m: request ${n} completed in \u001b[1m${n % 30} ms\u001b[0m, and no error at all`,
  ),
  'all secret': made((n) => (secrets[n % secrets.length] ?? '').slice(0, 120).replaceAll('\n', '')),
};

/** @param seconds how long it measures, all in all */
export function benchMask(seconds: number): Promise<void> {
  const works: Record<string, Work> = {
    'as a line of the log': (line) =>
      numbered(1, { line: { at: '', replica: '', stream: 'stdout', line: cutLine(line) } }),
    'masked, no secrets': maskOf([]),
    'masked, 20 secrets': maskOf(secrets),
  };
  const share = (seconds * 1_000) / (Object.keys(works).length * Object.keys(outputs).length);
  process.stdout.write('Nanoseconds of processor time per line, and megabytes per second of it\n');
  for (const [output, lines] of Object.entries(outputs)) {
    process.stdout.write(`\n${output}\n`);
    for (const [what, work] of Object.entries(works)) {
      const { perLine, megabytes } = measure(lines, work, share);
      process.stdout.write(
        `  ${what.padEnd(22)}${perLine.toFixed(0).padStart(6)} ns ${megabytes.toFixed(0).padStart(6)} MB/s\n`,
      );
    }
  }
  return Promise.resolve();
}

function maskOf(values: readonly string[]): Work {
  const mask = createMasks(() => values).lines('');
  return (line) => mask('stdout', line);
}

function measure(lines: readonly string[], work: Work, ms: number): { perLine: number; megabytes: number } {
  for (const line of lines) work(line);
  const [begun, before] = [performance.now(), process.cpuUsage()];
  let rounds = 0;
  for (; rounds === 0 || performance.now() - begun < ms; rounds++) for (const line of lines) work(line);
  const { user, system } = process.cpuUsage(before);
  const bytes = rounds * lines.reduce((sum, line) => sum + line.length, 0);
  return { perLine: ((user + system) * 1_000) / (rounds * lines.length), megabytes: bytes / (user + system) };
}
