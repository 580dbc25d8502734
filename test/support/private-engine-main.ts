/** A process that starts a private engine and then does nothing: for tests that kill it. Arguments: data and run directory. */
import { ManagedEngine } from '../../controllers/engine/managed.ts';
import { systemClock } from '../../controllers/runtime/system-clock.ts';
import { recordingLog } from './recording-log.ts';

const [dataDir = '', runDir = ''] = process.argv.slice(2);
await new ManagedEngine({ dataDir, runDir, clock: systemClock, log: recordingLog() }).start();
process.stdout.write('ready\n');
