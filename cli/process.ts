/** Makes the context of this process, runs its command line and sets its exit code. */
import { hostname, userInfo } from 'node:os';
import { createContext } from './context.ts';
import { run } from './run.ts';
import { systemClock } from './system-clock.ts';
import { programVersion } from './version.ts';

// The reader of a pipe may leave at any time (`svc get services | head -1`): that is no failure of ours.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit(0);
  throw error;
});

const context = createContext({
  env: process.env,
  stdin: process.stdin,
  stdout: process.stdout,
  stderr: process.stderr,
  cwd: process.cwd(),
  user: userName(),
  hostname: hostname(),
  clock: systemClock,
  version: programVersion(),
  onInterrupt: (listener) => process.once('SIGINT', listener),
  onHangup: (listener) => process.once('SIGHUP', listener),
});

process.exitCode = await run(process.argv.slice(2), context);

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have no entry in the system's list.
    return String(process.getuid?.() ?? 'somebody');
  }
}
