/**
 * Finds many texts in one pass (Aho and Corasick, "Efficient string matching", CACM 18, 1975): a tree of all patterns, and
 * from each node the longest other beginning of a pattern that the text read so far ends with. The state is one number, so
 * that a search goes on in a later text where it was left in an earlier one. Pure.
 */
import { leastSecretLength, type Pattern } from './forms.ts';

/** Of a text, from one index up to another. */
export type Found = (from: number, to: number) => void;

/** What marks that a text was cut: whatever stands before it may be the beginning of something longer. */
const ellipsis = 0x2026;

/** Nodes are numbered in the order of their making, from the root, which is 0 and also stands for no node. */
export class Automaton {
  private nodes = 1;
  private readonly parent: Int32Array;
  /** The character that leads to the node. */
  private readonly code: Uint16Array;
  private readonly firstChild: Int32Array;
  /** The next child of the same parent. */
  private readonly sibling: Int32Array;
  /** The longest shorter beginning of a pattern that this one ends with. */
  private readonly fallback: Int32Array;
  /** Length of the longest pattern that ends here; 0 for none. */
  private readonly whole: Int32Array;
  /** Length of the longest beginning of a pattern that ends here and gives away something of it; 0 for none. */
  private readonly begun: Int32Array;
  /** Length of the longest beginning of a pattern that ends here and is at least half of it; 0 for none. */
  private readonly halves: Int32Array;
  /** Children of the root by the low byte of their character: a text comes back to the root all the time. */
  private readonly firsts = new Int32Array(2 ** 8);
  /** 1 for the hash of every four characters that a pattern begins with. */
  private readonly beginnings = new Uint8Array(2 ** 16);

  constructor(patterns: readonly Pattern[]) {
    const size = patterns.reduce((sum, { text }) => sum + text.length, 1);
    this.parent = new Int32Array(size);
    this.code = new Uint16Array(size);
    this.firstChild = new Int32Array(size);
    this.sibling = new Int32Array(size);
    this.fallback = new Int32Array(size);
    this.whole = new Int32Array(size);
    this.begun = new Int32Array(size);
    this.halves = new Int32Array(size);
    for (const pattern of patterns) this.add(pattern);
    this.link();
  }

  get isEmpty(): boolean {
    return this.nodes === 1;
  }

  /**
   * Reads a text from a state on.
   * @param found called for every part of the text that belongs to a pattern, in the order of where they end. A part that
   * began in an earlier text begins at a negative index. At a `…` that includes what is the beginning of a pattern.
   * @param cut how much of a pattern has to stand before the `…`
   * @returns the state after it
   */
  read(text: string, state: number, found: Found, cut: 'begun' | 'half' = 'begun'): number {
    const cuts = cut === 'begun' ? this.begun : this.halves;
    let at = state;
    for (let i = 0; i < text.length; i++) {
      if (at === 0) i = this.next(text, i);
      const code = text.charCodeAt(i);
      const before = code === ellipsis ? (cuts[at] ?? 0) : 0;
      if (before > 0) found(i - before, i);
      at = this.step(at, code);
      const length = this.whole[at] ?? 0;
      if (length > 0) found(i + 1 - length, i + 1);
    }
    return at;
  }

  /** How many of the last characters read are the beginning of a pattern, and give away something of it. */
  beginning(state: number): number {
    return this.begun[state] ?? 0;
  }

  /** How many of the last characters read are at least half of a pattern, from its beginning on. */
  half(state: number): number {
    return this.halves[state] ?? 0;
  }

  /** The characters read last that are the beginning of a pattern. */
  textOf(state: number): string {
    let text = '';
    for (let at = state; at !== 0; at = this.parent[at] ?? 0)
      text = String.fromCharCode(this.code[at] ?? 0) + text;
    return text;
  }

  /**
   * Where, from an index on, a pattern may begin; the last three characters are not judged. Most of a text is passed over
   * here, so that a search costs about a nanosecond per character, however many patterns there are.
   */
  private next(text: string, from: number): number {
    const { beginnings } = this;
    let last4 = 0;
    for (let i = from; i < text.length; i++) {
      last4 = (last4 << 8) | (text.charCodeAt(i) & 0xff);
      if (beginnings[hashOf(last4)] === 1 && i - from >= leastSecretLength - 1)
        return i + 1 - leastSecretLength;
    }
    return Math.max(from, text.length + 1 - leastSecretLength);
  }

  private step(state: number, code: number): number {
    for (let at = state; ; at = this.fallback[at] ?? 0) {
      const child = this.child(at, code);
      if (child !== 0 || at === 0) return child;
    }
  }

  private child(node: number, code: number): number {
    const { code: codes, sibling } = this;
    let at = (node === 0 ? this.firsts[code & 0xff] : this.firstChild[node]) ?? 0;
    while (at !== 0 && codes[at] !== code) at = sibling[at] ?? 0;
    return at;
  }

  private add({ text, head }: Pattern): void {
    let at = 0;
    for (let i = 0; i < text.length; i++) {
      const code = text.charCodeAt(i);
      at = this.child(at, code) || this.addChild(at, code);
      if (i + 1 >= head + leastSecretLength) this.begun[at] = i + 1;
      // What is no secret does not count: nobody has to guess it.
      if (i + 1 - head >= Math.max(leastSecretLength, (text.length - head) / 2)) this.halves[at] = i + 1;
    }
    this.whole[at] = text.length;
    let first4 = 0;
    for (let i = 0; i < leastSecretLength; i++) first4 = (first4 << 8) | (text.charCodeAt(i) & 0xff);
    this.beginnings[hashOf(first4)] = 1;
  }

  private addChild(node: number, code: number): number {
    const child = this.nodes++;
    const [siblings, place] = node === 0 ? [this.firsts, code & 0xff] : [this.firstChild, node];
    this.parent[child] = node;
    this.code[child] = code;
    this.sibling[child] = siblings[place] ?? 0;
    siblings[place] = child;
    return child;
  }

  /** By depth, since a fallback is shorter than what falls back to it. */
  private link(): void {
    const { parent, code, fallback, whole, begun, halves } = this;
    for (const node of this.byDepth()) {
      const above = parent[node] ?? 0;
      const shorter = above === 0 ? 0 : this.step(fallback[above] ?? 0, code[node] ?? 0);
      fallback[node] = shorter;
      if (whole[node] === 0) whole[node] = whole[shorter] ?? 0;
      if (begun[node] === 0) begun[node] = begun[shorter] ?? 0;
      if (halves[node] === 0) halves[node] = halves[shorter] ?? 0;
    }
  }

  /** All nodes but the root. */
  private byDepth(): number[] {
    const nodes = [...this.firsts].flatMap((first) => this.siblingsFrom(first));
    // Grows while it is walked.
    for (const node of nodes) nodes.push(...this.siblingsFrom(this.firstChild[node] ?? 0));
    return nodes;
  }

  private siblingsFrom(first: number): number[] {
    const nodes: number[] = [];
    for (let at = first; at !== 0; at = this.sibling[at] ?? 0) nodes.push(at);
    return nodes;
  }
}

/** 16 bits of four characters (multiplicative hashing; Knuth, TAOCP 3, section 6.4). */
function hashOf(last4: number): number {
  return Math.imul(last4, 0x9e3779b1) >>> 16;
}
