/** What happens to a simulated node from outside, as data: a history is a list of these. Knows nothing of how they are done. */
import type { Engine } from '../../controllers/engine/engine.ts';
import type { Fault } from '../support/fake-engine.ts';
import { diceOf, type Dice } from './dice.ts';

/** How a build ends. `hangs`: only when it is cancelled, or over its limit. */
export type BuildEnd = 'ok' | 'fails' | 'hangs';
/**
 * What a workload is like. `bad`: never answers well. `exits`, `eats memory`: dies at its start. `refused`: the engine
 * cannot start it. `tires`: fails the gate of every second restart. `errs`: passes its gate, and answers every second request badly. `stubborn`: well, but only SIGKILL ends it.
 */
export type Nature =
  'ok' | 'slow' | 'bad' | 'exits' | 'eats memory' | 'refused' | 'tires' | 'errs' | 'stubborn';

/** What people do to a container at the engine. `moved`: to another address. `stopped`: with SIGTERM, as `docker stop`. */
export type HandMade = 'paused' | 'disconnected' | 'moved' | 'limited' | 'stopped';

export type SecretName = 'TOKEN' | 'KEY';

/** Services are numbered as in world.ts. `back`: how many deployments before the newest one. Times in milliseconds. */
export type Command =
  | { do: 'push'; service: number; build: BuildEnd; nature: Nature }
  | { do: 'roll back'; service: number; back: number | null }
  | { do: 'stop' | 'start' | 'restart'; service: number }
  /** Other limits, which need no new deployment. */
  | { do: 'resize'; service: number; memory: '256Mi' | '512Mi' }
  | { do: 'scale'; service: number; replicas: number }
  /** A changed environment: `broken` never answers well. */
  | { do: 'configure'; service: number; mode: 'one' | 'two' | 'broken' }
  | { do: 'set secret'; service: number; name: SecretName; value: string }
  /** Declares it without a value. */
  | { do: 'declare secret' | 'unset secret'; service: number; name: SecretName }
  /** `delete project`: the one of the service, with all that it owns. `create`: what was deleted, under the same names. */
  | { do: 'delete service' | 'delete project' | 'create'; service: number }
  | { do: 'stop deployment'; service: number; back: number }
  | { do: 'requests'; service: number; count: number }
  /** A container of the node, counted in the order of their names: its workload dies, or somebody removes it. */
  | { do: 'workload dies' | 'container removed'; nth: number }
  /** Somebody changes a container by hand. */
  | { do: 'container changed'; nth: number; how: HandMade }
  | { do: 'engine away'; ms: number }
  | { do: 'engine fault'; method: keyof Engine; fault: Fault; times: number }
  /** The engine starts the next container that is to be started only when nobody waits for it any more. */
  | { do: 'start comes late' }
  /** Slot -1 is the bridge. */
  | { do: 'member stalls'; slot: number; ms: number }
  | { do: 'member dies'; slot: number }
  /** The control plane is killed, or stopped in good order, and comes back after a while. */
  | { do: 'control plane killed' | 'control plane stopped'; ms: number }
  /** Everything on the machine ends at once. */
  | { do: 'power cut'; ms: number }
  | { do: 'clock set'; by: number }
  /** Nothing sealed can be opened for a while. */
  | { do: 'key lost'; ms: number }
  | { do: 'wait'; ms: number }
  /** Until so many calls, writes and timers have come to their end: it hits moments that no number of milliseconds does. */
  | { do: 'wait a little'; steps: number };

const methods = [
  ...([
    'ensureNetwork',
    'listNetworks',
    'removeNetwork',
    'build',
    'findImage',
    'tagImage',
    'listImages',
  ] as const),
  ...(['removeImage', 'createReplica'] as const),
  ...(['startReplica', 'stopReplica', 'removeReplica', 'inspectReplica', 'listReplicas', 'events'] as const),
  ...(['unpauseReplica', 'connectReplica', 'disconnectReplica', 'renameReplica', 'limitReplica'] as const),
];

/** A history that depends on the seed alone. */
export function historyOf(seed: number, services: number): Command[] {
  const dice = diceOf(seed);
  const count = dice.whole(6, 22);
  return Array.from({ length: count }, () => [
    ...requests(dice, services),
    wait(dice),
    ...commands(dice, services),
  ]).flat();
}

/** Some for every service, now and then. */
function requests(dice: Dice, services: number): Command[] {
  if (dice.chance(0.5)) return [];
  return Array.from({ length: services }, (_, service) => {
    return { do: 'requests', service, count: dice.whole(1, 100) };
  });
}

function moment(dice: Dice): Command {
  return { do: 'wait a little', steps: dice.whole(0, dice.pick([3, 20, 60, 200])) };
}

function wait(dice: Dice): Command {
  if (dice.chance(0.6)) return moment(dice);
  const about = dice.weighted({ second: 30, build: 45, gate: 20, 'time out': 5 });
  const limits = { second: 1_000, build: 15_000, gate: 120_000, 'time out': 1_500_000 };
  return { do: 'wait', ms: dice.whole(0, limits[about]) };
}

function commands(dice: Dice, services: number): Command[] {
  const kind = dice.weighted({
    ...{ 'by a person': 35, 'in haste': 15, 'by everybody': 10, 'under load': 8, 'by bad luck': 40 },
  });
  if (kind === 'by bad luck') return [mishap(dice)];
  if (kind === 'under load') return underLoad(dice, dice.whole(0, services - 1));
  const asked = request(dice, dice.whole(0, services - 1));
  if (kind === 'by a person') return [asked];
  if (kind === 'in haste') return [asked, moment(dice), request(dice, asked.service)];
  return Array.from({ length: services }, (_, service) => ({ ...asked, service }));
}

/** A push, and requests while it is released and watched: what answers badly is taken back. */
function underLoad(dice: Dice, service: number): Command[] {
  const nature = dice.pick(['ok', 'errs', 'errs'] as const);
  const load = Array.from({ length: dice.whole(3, 8) }, (): Command[] => [
    { do: 'wait', ms: dice.whole(1, 15_000) },
    ...(dice.chance(0.15) ? [mishap(dice)] : []),
    { do: 'requests', service, count: dice.whole(20, 100) },
  ]);
  return [{ do: 'push', service, build: 'ok', nature }, ...load.flat()];
}

function request(dice: Dice, service: number): Extract<Command, { service: number }> {
  const what = dice.weighted({
    push: 50,
    stop: 8,
    start: 10,
    restart: 12,
    'roll back': 12,
    'stop deployment': 8,
    ...{ resize: 6, scale: 12, configure: 12, 'set secret': 12, 'declare secret': 2, 'unset secret': 3 },
    ...{ 'delete service': 6, 'delete project': 3, create: 12 },
  });
  switch (what) {
    case 'push': {
      const build = dice.weighted({ ok: 80, fails: 10, hangs: 10 });
      const nature = dice.weighted({
        ...{
          ok: 45,
          slow: 10,
          bad: 8,
          exits: 6,
          'eats memory': 3,
          refused: 5,
          tires: 10,
          errs: 12,
          stubborn: 8,
        },
      });
      return { do: 'push', service, build, nature };
    }
    case 'roll back':
      return { do: what, service, back: dice.chance(0.6) ? null : dice.whole(0, 4) };
    case 'resize':
      return { do: what, service, memory: dice.pick(['256Mi', '512Mi']) };
    case 'scale':
      return { do: what, service, replicas: dice.whole(1, 3) };
    case 'configure':
      return { do: what, service, mode: dice.weighted({ one: 40, two: 40, broken: 20 }) };
    case 'set secret':
      return { do: what, service, name: secretName(dice), value: `secret-${dice.whole(1, 3)}` };
    case 'declare secret':
    case 'unset secret':
      return { do: what, service, name: secretName(dice) };
    case 'stop deployment':
      return { do: what, service, back: dice.chance(0.7) ? 0 : dice.whole(0, 3) };
    default:
      return { do: what, service };
  }
}

function secretName(dice: Dice): SecretName {
  return dice.pick(['TOKEN', 'KEY']);
}

function mishap(dice: Dice): Command {
  const what = dice.weighted({
    ...{
      'workload dies': 16,
      'container removed': 8,
      'container changed': 12,
      'engine away': 10,
      'engine fault': 20,
      'start comes late': 6,
      'member stalls': 10,
    },
    ...{
      'member dies': 8,
      'control plane killed': 18,
      'control plane stopped': 4,
      'power cut': 3,
      'clock set': 3,
      'key lost': 4,
    },
  });
  switch (what) {
    case 'workload dies':
    case 'container removed':
      return { do: what, nth: dice.whole(0, 9) };
    case 'engine away':
      return { do: what, ms: dice.chance(0.9) ? dice.whole(1, 40_000) : dice.whole(1, 2_400_000) };
    case 'container changed':
      return {
        ...{ do: what, nth: dice.whole(0, 9) },
        how: dice.pick(['paused', 'disconnected', 'moved', 'limited', 'stopped'] as const),
      };
    case 'engine fault': {
      const fault = dice.weighted({ unavailable: 40, 'lost reply': 40, hang: 20 });
      return { do: what, method: dice.pick(methods), fault, times: dice.whole(1, 3) };
    }
    case 'member stalls':
      return { do: what, slot: dice.whole(-1, 1), ms: dice.whole(1, 60_000) };
    case 'start comes late':
      return { do: what };
    case 'member dies':
      return { do: what, slot: dice.whole(-1, 1) };
    case 'clock set':
      return { do: what, by: dice.whole(-600_000, 600_000) };
    default:
      return { do: what, ms: dice.chance(0.8) ? dice.whole(0, 5_000) : dice.whole(0, 300_000) };
  }
}
