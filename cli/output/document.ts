/** Resources for programs: JSON and YAML of exactly what the API answered. */
import { cleanText } from './text.ts';

/**
 * Pretty JSON that ends in a line feed. DEL and C1 are escaped too: JSON allows them as they are, a terminal may obey them.
 */
export function json(value: unknown): string {
  const text = JSON.stringify(value, null, 2);
  return `${text.replaceAll(/[\u007f-\u009f]/g, (char) => `\\u00${char.charCodeAt(0).toString(16)}`)}\n`;
}

/** YAML without control characters, which it cannot hold in plain text. The library is loaded only when asked for. */
export async function yaml(value: unknown): Promise<string> {
  const { stringify } = await import('yaml');
  return stringify(cleaned(value), { lineWidth: 0 });
}

function cleaned(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (Array.isArray(value)) return value.map(cleaned);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [cleanText(key), cleaned(member)]));
}
