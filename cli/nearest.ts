/** Says which known word somebody may have meant. */
import { nearest } from '../specs/nearest.ts';

/** ` Did you mean "push"?`, or nothing where no known word is near. */
export function didYouMean(word: string, known: Iterable<string>): string {
  const candidate = nearest(word, known);
  return candidate === undefined ? '' : meant(candidate);
}

/** ` Did you mean "push"?` */
export function meant(word: string): string {
  return ` Did you mean "${word}"?`;
}
