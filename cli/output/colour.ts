/** Colour: only on a terminal, and never with NO_COLOR (https://no-color.org: set and not empty). */

export interface Palette {
  green: (text: string) => string;
  red: (text: string) => string;
  yellow: (text: string) => string;
  cyan: (text: string) => string;
  magenta: (text: string) => string;
  blue: (text: string) => string;
  dim: (text: string) => string;
  bold: (text: string) => string;
}

const codes = {
  green: [32, 39],
  red: [31, 39],
  yellow: [33, 39],
  cyan: [36, 39],
  magenta: [35, 39],
  blue: [34, 39],
  dim: [2, 22],
  bold: [1, 22],
} as const;

export function isTerminal(stream: object): boolean {
  return 'isTTY' in stream && stream.isTTY === true;
}

/** The colours to use on this stream; they give the text back unchanged where there is none to use. */
export function paletteFor(stream: object, env: Readonly<Record<string, string | undefined>>): Palette {
  const coloured = isTerminal(stream) && !env['NO_COLOR'] && env['TERM'] !== 'dumb';
  const paint = (name: keyof typeof codes) => (text: string) =>
    coloured ? `\u001b[${codes[name][0]}m${text}\u001b[${codes[name][1]}m` : text;
  return {
    green: paint('green'),
    red: paint('red'),
    yellow: paint('yellow'),
    cyan: paint('cyan'),
    magenta: paint('magenta'),
    blue: paint('blue'),
    dim: paint('dim'),
    bold: paint('bold'),
  };
}
