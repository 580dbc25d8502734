/** What neither a plain nor a secret environment variable may be. Pure. */

/** Linux takes no single variable of more than 128 KiB (MAX_ARG_STRLEN); half of it leaves room for any name. */
const mostBytes = 65_536;

/** What is wrong with a name; undefined when nothing is. */
export function nameFault(name: string): string | undefined {
  if (name === 'PORT' || name.startsWith('SVC_')) return 'is set by svc itself';
  // No JSON body may have it, so that it could be declared and never be given a value.
  if (name === '__proto__') return 'is no name for a variable';
  return name.length > 256 ? 'has a name of more than 256 characters' : undefined;
}

/** What is wrong with a value, without quoting it; undefined when nothing is. */
export function valueFault(value: string): string | undefined {
  if (value.includes('\0')) return 'must not contain a null character';
  return Buffer.byteLength(value) > mostBytes ? 'must be at most 64 KiB' : undefined;
}
