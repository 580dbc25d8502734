/** Entry point of an ingress worker: loads, listens, gives root away, and then serves for as long as it may. */
import { readPair } from '../certificate-files.ts';
import { startMember } from '../member.ts';
import { dropPrivileges } from '../privileges.ts';
import { cannotListen } from '../protocol.ts';
import { createDataPath } from './data-path.ts';

const member = startMember();
const { options, saved } = member;
const dataPath = createDataPath({ ...member, readPair: (id) => readPair(options.runDir, id) });
if (saved !== undefined) dataPath.apply(saved);
try {
  await dataPath.listen(options.listen);
  await dataPath.listenTls(options.listenTls ?? []);
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`);
  process.exit(cannotListen);
}
dropPrivileges(options.user);
member.attend(dataPath);
