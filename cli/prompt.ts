/** Questions on a terminal. A password is never echoed, and never asked for where nobody can answer. */
import type { Readable, Writable } from 'node:stream';
import { StringDecoder } from 'node:string_decoder';
import { usageError } from './errors.ts';
import { isTerminal } from './output/colour.ts';

export interface Prompt {
  /** One line, without its end. An empty answer gives the fallback, if there is one. */
  ask(question: string, fallback?: string): Promise<string>;
  /** The same, without showing what is typed. */
  askHidden(question: string): Promise<string>;
}

type Terminal = Readable & { setRawMode?(raw: boolean): void };

/**
 * Asks on `output` and reads from `input`. Without a terminal every question is refused with `advice`, which says
 * what to do instead.
 */
export function createPrompt(input: Terminal, output: Writable, advice: string): Prompt {
  const decoder = new StringDecoder('utf8');
  // What was typed, or pasted, beyond the line that was asked for.
  let ahead = '';

  async function line(question: string, hidden: boolean): Promise<string> {
    if (!isTerminal(input)) throw usageError(`There is no terminal to ask: ${question}`, advice);
    // Before the question, so that not even a quick first character is shown.
    if (hidden) input.setRawMode?.(true);
    output.write(`${question}: `);
    try {
      return await readLine(hidden);
    } finally {
      if (hidden) {
        input.setRawMode?.(false);
        output.write('\n');
      }
      input.pause();
    }
  }

  function readLine(hidden: boolean): Promise<string> {
    return new Promise((resolve, reject) => {
      let typed = '';
      const stop = () => {
        input.off('data', take).off('end', end);
      };
      const end = () => {
        stop();
        reject(interrupted());
      };
      const take = (chunk: Buffer | string) => {
        const text = ahead + (typeof chunk === 'string' ? chunk : decoder.write(chunk));
        ahead = '';
        for (const [index, char] of Array.from(text).entries()) {
          const edited = edit(typed, char, hidden);
          if (typeof edited === 'string') typed = edited;
          else {
            stop();
            ahead = Array.from(text)
              .slice(index + 1)
              .join('');
            if (edited.done) resolve(typed);
            else reject(interrupted());
            return;
          }
        }
      };
      input.on('data', take).on('end', end);
      if (ahead !== '') take('');
      input.resume();
    });
  }

  return {
    async ask(question, fallback) {
      const answer = (
        await line(fallback === undefined ? question : `${question} [${fallback}]`, false)
      ).trim();
      return answer === '' ? (fallback ?? '') : answer;
    },
    askHidden: (question) => line(question, true),
  };
}

/** What the line is after one more character, or how it ended. Without echo there is no line editing by the terminal. */
function edit(typed: string, char: string, hidden: boolean): string | { done: boolean } {
  if (char === '\n' || char === '\r') return { done: true };
  if (!hidden) return typed + char;
  if (char === '\u0003' || char === '\u0004') return { done: false }; // Ctrl-C, Ctrl-D
  if (char === '\u007f' || char === '\b') return Array.from(typed).slice(0, -1).join('');
  if (char === '\u0015') return ''; // Ctrl-U
  return typed + char;
}

function interrupted(): Error {
  return new DOMException('Interrupted.', 'AbortError');
}
