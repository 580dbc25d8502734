/** Entry point of `npm run bench -- <name>`: finds the benchmark and runs it. What each measures: README.md. */
import { parseArgs } from 'node:util';

/** @param seconds it may take, give or take a round */
type Bench = (seconds: number) => Promise<void>;

const benches: Readonly<Record<string, () => Promise<Bench>>> = {
  auth: async () => (await import('./auth-timing.ts')).benchAuth,
  drift: async () => (await import('./drift/bench.ts')).benchDrift,
  flood: async () => (await import('./flood/bench.ts')).benchFlood,
  mask: async () => (await import('./mask/bench.ts')).benchMask,
  push: async () => (await import('./push/bench.ts')).benchPush,
  rollout: async () => (await import('./rollout/bench.ts')).benchRollout,
};

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: { seconds: { type: 'string', default: '110' } },
});
const load = benches[positionals[0] ?? ''];
const seconds = Number(values.seconds);
if (load === undefined || positionals.length > 1 || !(seconds > 0)) {
  process.stderr.write(`npm run bench -- ${Object.keys(benches).join('|')} [--seconds N]\n`);
  process.exit(2);
}
await (
  await load()
)(seconds);
