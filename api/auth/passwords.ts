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

/** RFC 9106, section 4: the second recommended option. */
export const passwordCost: PasswordCost = { memoryCost: 64 * 1024, timeCost: 3, parallelism: 4 };

export interface Passwords {
  hash(password: string): Promise<string>;
  /** Works as long without a hash (an unknown user) as with one, and then answers false. */
  verify(hash: string | undefined, password: string): Promise<boolean>;
}

/** Two hashes at once bound the memory that a flood of logins can take to 128 MiB. */
export function createPasswords(random: Random, cost = passwordCost): Passwords {
  const limited = limiter(2, 20);
  const decoy = decoyHash(random, cost);
  return {
    hash: (password) =>
      limited(() => argon2.hash(password, { ...cost, type: argon2.argon2id, salt: Buffer.from(random(16)) })),
    async verify(hash, password) {
      const right = await limited(() => argon2.verify(hash ?? decoy, password));
      return right && hash !== undefined;
    },
  };
}

/** A hash that no password has, with the cost of a real one. */
function decoyHash(random: Random, { memoryCost, timeCost, parallelism }: PasswordCost): string {
  const bytes = (count: number) => Buffer.from(random(count)).toString('base64').replaceAll('=', '');
  return `$argon2id$v=19$m=${memoryCost},p=${parallelism},t=${timeCost}$${bytes(16)}$${bytes(32)}`;
}
