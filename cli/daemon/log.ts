/** The node's own log: JSON lines on stderr, pretty when that is a terminal. */
import { pino, type Logger } from 'pino';
import pretty from 'pino-pretty';

export function createLog(level: string): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime };
  if (!process.stderr.isTTY) return pino(options, pino.destination({ fd: 2, sync: true }));
  return pino(
    options,
    pretty({ destination: 2, sync: true, ignore: 'pid,hostname', translateTime: 'HH:MM:ss.l' }),
  );
}
