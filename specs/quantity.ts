/** Amounts of memory as Kubernetes writes them: a number with Ki, Mi, Gi (powers of 1024), k, M, G (of 1000), or bytes. */
import { Type, type Static } from '@sinclair/typebox';

const units = { '': 1, k: 1e3, M: 1e6, G: 1e9, Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30 } as const;

export const Quantity = Type.String({
  pattern: '^\\d{1,12}(?:[KMG]i|[kMG])?$',
  maxLength: 16,
  description: 'such as 512Mi, 1Gi or 500M',
});
export type Quantity = Static<typeof Quantity>;

/** Bytes of a valid quantity. Throws a RangeError that quotes the text otherwise. */
export function quantityBytes(text: Quantity): number {
  const match = /^(\d{1,12})([KMG]i|[kMG])?$/.exec(text);
  if (!match) throw new RangeError(`"${text}" is no amount of memory: write something like 512Mi or 1Gi`);
  return Number(match[1]) * units[(match[2] ?? '') as keyof typeof units];
}
