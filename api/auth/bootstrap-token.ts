/**
 * The bootstrap admin token: proves that its holder could read a file that `svc setup` wrote. It is bound to the node
 * key and stored nowhere; whoever has the node key can check it.
 */
import { createHmac, timingSafeEqual, type BinaryLike } from 'node:crypto';
import type { Random } from '../../specs/clock.ts';

const prefix = 'svc_bootstrap_';

/**
 * A new token, `svc_bootstrap_<random>.<HMAC-SHA256>`. Any number of them is valid at once.
 * @param nodeKey 32 bytes
 */
export function mintBootstrapToken(nodeKey: BinaryLike, random: Random): string {
  const claim = prefix + Buffer.from(random(32)).toString('base64url');
  return `${claim}.${sign(nodeKey, claim)}`;
}

/**
 * A check whose time tells nothing of how far a guess was right: both sides go through another HMAC, under a key that
 * nobody knows, and the results are compared in constant time. What lacks the prefix, which is public, is no guess.
 * @param nodeKey asked at every check: with a new key all tokens of the old one are void
 */
export function bootstrapTokenVerifier(
  nodeKey: () => BinaryLike,
  random: Random,
): (token: string) => boolean {
  const blind = random(32);
  const blinded = (text: string) => createHmac('sha256', blind).update(text).digest();
  return (token) => {
    if (!token.startsWith(prefix)) return false;
    const dot = token.lastIndexOf('.');
    const claim = token.slice(0, Math.max(dot, 0));
    return timingSafeEqual(blinded(token.slice(dot + 1)), blinded(sign(nodeKey(), claim)));
  };
}

function sign(nodeKey: BinaryLike, claim: string): string {
  return createHmac('sha256', nodeKey).update(claim).digest('base64url');
}
