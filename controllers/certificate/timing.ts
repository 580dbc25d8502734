/** When to ask, and whom. Pure. */

const minute = 60_000;
const day = 24 * 60 * minute;

/**
 * Minutes before the next order, by how many failed in a row. The shape is certmagic's, thinned at the beginning: Let's Encrypt
 * refuses a hostname for an hour after five failed validations, and these make five in the first one.
 */
const ladder = [1, 5, 15, 30, 60, 120, 180, 360, 720, 1440];

/** Lifetimes below are called short (CA/Browser Forum's short-lived certificates have 7 to 10 days). */
const shortLived = 10 * day;

/**
 * Milliseconds to wait after a failure, more by up to a quarter by chance.
 * @param failures in a row, 1 or more
 * @param chance 0 to 1
 */
export function pauseAfter(failures: number, chance: number): number {
  const minutes = ladder[Math.min(failures, ladder.length) - 1] ?? 1;
  return minutes * minute * (1 + chance / 4);
}

/**
 * When a certificate is renewed: after two thirds of its life, or half of a short one, later by up to a fiftieth by chance,
 * so that those that were issued together are not renewed together. Never by a number of days: lifetimes are shrinking.
 * @returns milliseconds since the epoch
 */
export function renewalOf(notBefore: number, notAfter: number, chance: number): number {
  const life = notAfter - notBefore;
  return notBefore + life * ((life < shortLived ? 1 / 2 : 2 / 3) + chance / 50);
}

export interface Choice {
  /** Directory URL. */
  directory: string;
  /** Milliseconds since the epoch before which it takes nothing. */
  free: number;
}

/**
 * The next authority to ask: each failure goes on to the next of the list, and one that asked to be left alone is passed over
 * while there is another.
 * @param held directory → until when (RFC 3339)
 */
export function choose(
  directories: readonly [string, ...string[]],
  failures: number,
  held: Readonly<Record<string, string>>,
  now: number,
): Choice {
  const start = failures % directories.length;
  const order = [...directories.slice(start), ...directories.slice(0, start)];
  const choices = order.map((directory) => ({ directory, free: Date.parse(held[directory] ?? '') || 0 }));
  const soonest = choices.reduce((best, next) => (next.free < best.free ? next : best));
  return choices.find(({ free }) => free <= now) ?? soonest;
}
