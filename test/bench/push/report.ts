/** The figures of one variant as text. Pure. */
import { summarise, table } from '../stats.ts';
import type { HandRound } from './by-hand.ts';
import { phasesOf, type Facts } from './timeline.ts';

export interface Pair {
  svc: Facts;
  hand: HandRound;
}

const ms = (value: number): string => value.toFixed(0);
const row = (name: string, values: readonly number[], show: (value: number) => string = ms): string[] => {
  const { median, min, max } = summarise(values);
  return [name, show(median), show(min), show(max)];
};

export function report(title: string, pairs: readonly Pair[]): string {
  const svc = pairs.map((pair) => pair.svc.served - pair.svc.began);
  const hand = pairs.map((pair) => pair.hand.served - pair.hand.began);
  const ratios = svc.map((value, index) => value / (hand[index] ?? Number.NaN));
  const result = table([
    ['milliseconds', 'median', 'min', 'max'],
    row('svc push', svc),
    row('by hand', hand),
    row('ratio, pair by pair', ratios, (value) => value.toFixed(2)),
  ]);
  return `${title} (${pairs.length} pairs)\n\n${result}\n\n${phases(pairs)}\n`;
}

function phases(pairs: readonly Pair[]): string {
  const all = pairs.map(({ svc }) => phasesOf(svc));
  const names = all[0]?.map(({ name }) => name) ?? [];
  const ofSvc = names.map((name, index) =>
    row(
      `  ${name}`,
      all.map((found) => found[index]?.ms ?? 0),
    ),
  );
  const ofHand = [
    row(
      '  docker build',
      pairs.map(({ hand }) => hand.built - hand.began),
    ),
    row(
      '  docker run',
      pairs.map(({ hand }) => hand.ran - hand.built),
    ),
    row(
      '  until it answers',
      pairs.map(({ hand }) => hand.served - hand.ran),
    ),
  ];
  return table([['svc push', 'median', 'min', 'max'], ...ofSvc, ['by hand', '', '', ''], ...ofHand]);
}
