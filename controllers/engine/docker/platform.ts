/** Which images a machine can run, by what they are made for. Pure. */

/** What a processor runs beside its own kind. */
const also: Readonly<Record<string, string>> = { amd64: '386', arm64: 'arm' };

/**
 * @param machine such as `linux/amd64`
 * @param platforms that an image is made for; none, or only unknown ones: nobody said, and it is for the engine to find out
 */
export function runsOn(machine: string, platforms: readonly string[]): boolean {
  const known = platforms.filter((platform) => !platform.includes('unknown') && !/^\/|\/$/.test(platform));
  if (known.length === 0) return true;
  const [os = '', architecture = ''] = machine.split('/');
  return known.includes(machine) || known.includes(`${os}/${also[architecture] ?? architecture}`);
}
