/**
 * Writes a deployment's log under a limit of file size until a write fails half-way, then something that still fits. Prints
 * how many lines were written whole before, and the error, as JSON. Argument: a folder to work in.
 */
import { openDeploymentLogs } from '../../controllers/logs/deployment-logs.ts';
import type { DeploymentLogEntry } from '../../specs/log-entry.ts';
import { ManualClock } from './manual-clock.ts';
import { recordingLog } from './recording-log.ts';

const [dir = ''] = process.argv.slice(2);
// Node ignores SIGXFSZ, so that the write fails with EFBIG.
const logs = await openDeploymentLogs({ dir, clock: new ManualClock(), log: recordingLog() });
const line = (text: string): DeploymentLogEntry => ({
  event: 'log',
  at: '',
  phase: 'build',
  stream: 'stdout',
  line: text,
});

let whole = 0;
let code: string | undefined;
while (code === undefined) {
  logs.append('dep_1', line('x'.repeat(1000)));
  await logs.flush('dep_1').then(
    () => whole++,
    (error: unknown) => (code = (error as NodeJS.ErrnoException).code),
  );
}
logs.append('dep_1', line('short'));
await logs.flush('dep_1');
process.stdout.write(JSON.stringify({ whole, code }));
