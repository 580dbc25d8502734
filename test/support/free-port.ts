/** A port for a program that is started by its number. */
import { randomInt } from 'node:crypto';
import { createServer } from 'node:net';

/** Below the range that Linux gives to outgoing connections (32768 to 60999), which would take it in between. */
const [first, beyond] = [10_000, 32_768];

/** A port that nobody listens on now, and that nobody gets by chance. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(first, beyond);
    if (await isFree(port)) return port;
  }
}

function isFree(port: number): Promise<boolean> {
  const server = createServer();
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false);
      else reject(error);
    });
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });
}
