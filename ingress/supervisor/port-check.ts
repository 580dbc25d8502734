/** Whether somebody else listens already: with shared ports (SO_REUSEPORT) a second node would silently take half of the traffic. */
import { createServer } from 'node:net';
import { parseListenAddress } from '../listen-address.ts';

/** For a start without survivors. Rejects with an Error that names the first address that is taken or not ours. */
export async function assertFree(listen: readonly string[]): Promise<void> {
  for (const text of listen) {
    const address = parseListenAddress(text);
    const probe = createServer();
    try {
      await new Promise<void>((resolve, reject) => {
        probe.once('error', reject);
        probe.listen(address, resolve);
      });
    } catch (cause) {
      throw new Error(refusal(text, cause), { cause });
    }
    await new Promise((resolve) => probe.close(resolve));
  }
}

function refusal(text: string, cause: unknown): string {
  const { code, message } = cause as NodeJS.ErrnoException;
  if (code === 'EADDRINUSE')
    return `cannot listen on ${text}: another program does; stop it, or choose another port`;
  if (code === 'EACCES')
    return `cannot listen on ${text}: not allowed; choose a port above 1023, or run as root`;
  return `cannot listen on ${text}: ${message}`;
}
