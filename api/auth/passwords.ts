/** Passwords, as argon2id hashes in PHC format. Knows no user. */
import argon2 from 'argon2';
import type { Random } from '../../specs/clock.ts';
import { limiter } from './limiter.ts';

/** What one hash costs. */
export interface PasswordCost {
  /** KiB. */
  memoryCost: number;
  /** Passes over it. */
  timeCost: number;
  /** Lanes. */
  parallelism: number;
}

/**
 * RFC 9106, section 4: the second recommended option. It may be raised: a hash of a lower cost is replaced when its user
 * logs in.
 */
export const passwordCost: PasswordCost = { memoryCost: 64 * 1024, timeCost: 3, parallelism: 4 };

export interface Passwords {
  hash(password: string): Promise<string>;
  /**
   * Does the same work whatever it is given: a hash of each cost that any user's has, in the same order. So the time tells
   * neither whether there is a user (no hash: it answers false) nor whether their hash is of an older cost.
   */
  verify(hash: string | undefined, password: string): Promise<boolean>;
  /** Whether new hashes cost more than this one: whoever then has its password at hand stores a new one. */
  isOutdated(hash: string): boolean;
}

/**
 * Two checks at once bound the memory that a flood of logins can take to 128 MiB.
 * @param stored the hashes that there are; asked once, before the first check
 */
export function createPasswords(
  random: Random,
  stored: () => Promise<readonly string[]>,
  cost = passwordCost,
): Passwords {
  const limited = limiter(2, 20);
  let costs: Set<string> | undefined;

  async function check(hash: string | undefined, password: string): Promise<boolean> {
    costs ??= new Set([...(await stored()).flatMap((one) => costOf(one) ?? []), textOf(cost)].sort());
    const own = hash === undefined ? undefined : costOf(hash);
    if (own !== undefined) costs.add(own);
    let right = false;
    for (const one of costs) {
      if (hash !== undefined && one === own) right = await argon2.verify(hash, password);
      else await argon2.verify(decoyHash(random, one), password);
    }
    return right;
  }

  return {
    hash: (password) =>
      limited(() => argon2.hash(password, { ...cost, type: argon2.argon2id, salt: Buffer.from(random(16)) })),
    verify: (hash, password) => limited(() => check(hash, password)),
    isOutdated: (hash) => workOf(costOf(hash) ?? '') < workOf(textOf(cost)),
  };
}

/** As a hash in PHC format has it. */
function textOf({ memoryCost, timeCost, parallelism }: PasswordCost): string {
  return `m=${memoryCost},p=${parallelism},t=${timeCost}`;
}

/** Undefined for what is no hash of ours. */
function costOf(hash: string): string | undefined {
  return /^\$argon2id\$v=19\$(m=[\d,pt=]+)\$/.exec(hash)?.[1];
}

/** Blocks filled: memory times passes. */
function workOf(cost: string): number {
  const [, memory = 0, passes = 0] = /m=(\d+).*t=(\d+)/.exec(cost) ?? [];
  return Number(memory) * Number(passes);
}

/** A hash that no password has. */
function decoyHash(random: Random, cost: string): string {
  const bytes = (count: number) => Buffer.from(random(count)).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$${cost}$${bytes(16)}$${bytes(32)}`;
}
