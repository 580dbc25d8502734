/** Entry point of the bridge: makes the socket of every `listen: tcp` replica and pipes it into the workload's network. */
import { startMember } from '../member.ts';
import { dropPrivileges } from '../privileges.ts';
import { createBridge } from './bridge.ts';

const member = startMember();
dropPrivileges(member.options.user);
// Its sockets are for the workers, who are the same user, and for root.
process.umask(0o177);
const bridge = createBridge(member.options.runDir, member.report);
if (member.saved !== undefined) await bridge.apply(member.saved);
member.attend(bridge);
