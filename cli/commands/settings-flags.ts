/** A flag for every setting of a node: SERVICE_HTTP_LISTEN is `--http-listen`. */
import { Option } from 'clipanion';
import { settings, type SettingName } from '../../specs/settings.ts';

export type SettingFlags = Partial<Record<SettingName, string>>;

export function flagOf(name: SettingName): string {
  return `--${name.slice('SERVICE_'.length).toLowerCase().replaceAll('_', '-')}`;
}

/** Gives a command one option per setting, under the setting's own name. To be called while it is constructed. */
export function declareSettingFlags(command: object): void {
  for (const { name, meaning, fallback } of settings) {
    const option = Option.String(flagOf(name), { description: `${name}: ${meaning} (default: ${fallback})` });
    Object.defineProperty(command, name, {
      value: option,
      writable: true,
      enumerable: true,
      configurable: true,
    });
  }
}

/** What was given on the command line. */
export function settingFlags(command: object): SettingFlags {
  const values = command as SettingFlags;
  return Object.fromEntries(
    settings.flatMap(({ name }) => (values[name] === undefined ? [] : [[name, values[name]]])),
  );
}
