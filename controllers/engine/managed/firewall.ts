/**
 * What the host's firewall does for the workloads of a private engine: lets them out, keeps projects apart, lets nobody
 * in. The engine is told to leave the firewall alone (`--iptables=false`): when a second dockerd starts, it flushes the
 * chains that it shares with the first, which loses its published ports and its isolation. These chains are our own, so
 * neither touches the other. They go by interface names, not by addresses: projects come and go without a new rule.
 */
import { anyInterface, type Place } from './place.ts';
import { run, succeeds } from './run.ts';

/** Packets from workloads to the outside, to be masqueraded: an interface a packet came in by is not known there. */
const mark = '0x1000/0x1000';

/** In which table and chain of the kernel our chain of the same name is called. */
const hooks = [
  ['filter', 'FORWARD'],
  ['mangle', 'FORWARD'],
  ['nat', 'POSTROUTING'],
] as const;

/**
 * For `iptables-restore --noflush`: declaring a chain empties it, so this may run again and again. Pure.
 *
 * What must not pass is dropped in `mangle`, which comes before `filter`: there another Docker, whenever it starts, puts
 * its rules before ours, and they let its own containers go anywhere.
 */
export function rules({ chain, interfaces }: Pick<Place, 'chain' | 'interfaces'>, bridged = true): string {
  const mine = `${interfaces}+`;
  const mangle = [
    // Between containers of one project. Only hosts with br_netfilter see these packets at all.
    ...(bridged ? [`-i ${mine} -o ${mine} -m physdev --physdev-is-bridged -j RETURN`] : []),
    `-o ${mine} -m conntrack --ctstate RELATED,ESTABLISHED -j RETURN`,
    // Neither to another project, nor to another node's, nor to the bridges of another Docker.
    ...[`${anyInterface}+`, 'docker+', 'br-+'].map((other) => `-i ${mine} -o ${other} -j DROP`),
    `-o ${mine} -j DROP`,
    `-i ${mine} -j MARK --set-xmark ${mark}`,
  ];
  return [
    table('mangle', chain, mangle),
    // Hosts on which nothing is forwarded that is not let through: what is left may pass.
    table('filter', chain, [`-i ${mine} -j ACCEPT`, `-o ${mine} -j ACCEPT`]),
    table('nat', chain, [`-m mark --mark ${mark} ! -o ${mine} -j MASQUERADE`]),
  ].join('');
}

/** May be called again and again. */
export async function raise(place: Pick<Place, 'chain' | 'interfaces'>): Promise<void> {
  const restore = (bridged: boolean) =>
    run('iptables-restore', ['--wait', '--noflush'], rules(place, bridged));
  // A kernel without xt_physdev has no br_netfilter either.
  if (
    !(await restore(true).then(
      () => true,
      () => false,
    ))
  )
    await restore(false);
  for (const [name, hook] of hooks) {
    const jump = ['--wait', '-t', name];
    if (!(await succeeds('iptables', [...jump, '-C', hook, '-j', place.chain])))
      await run('iptables', [...jump, '-I', hook, '-j', place.chain]);
  }
}

/** Takes everything away again. */
export async function drop({ chain }: Pick<Place, 'chain'>): Promise<void> {
  for (const [name, hook] of hooks) {
    const wait = ['--wait', '-t', name];
    while (await succeeds('iptables', [...wait, '-D', hook, '-j', chain]));
    if (await succeeds('iptables', [...wait, '-F', chain])) await run('iptables', [...wait, '-X', chain]);
  }
}

function table(name: string, chain: string, lines: string[]): string {
  return [`*${name}`, `:${chain} - [0:0]`, ...lines.map((line) => `-A ${chain} ${line}`), 'COMMIT', ''].join(
    '\n',
  );
}
