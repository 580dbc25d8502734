/** Host paths: directories of the host that the node's operator has named, and the projects that may mount each. Pure. */
import { Value } from '@sinclair/typebox/value';
import { Name } from './meta.ts';

/** One entry of SERVICE_HOST_PATHS. */
export interface HostPath {
  /** Name of the project that may mount it. */
  project: string;
  /** What its manifests call it. */
  name: string;
  /** Absolute, and in the shortest form. */
  path: string;
  readOnly: boolean;
}

/** @param text `project/name=/host/path[:ro]`, separated by commas. Throws an Error that says what is wrong with an entry */
export function parseHostPaths(text: string): HostPath[] {
  const parts = text
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');
  const paths = parts.map(parseEntry);
  for (const [index, { project, name }] of paths.entries())
    if (paths.findIndex((other) => other.project === project && other.name === name) !== index)
      throw new Error(`"${project}/${name}" is there twice: name every host path once`);
  return paths;
}

function parseEntry(text: string): HostPath {
  const match = /^([^/=]+)\/([^/=]+)=(\/.*?)(:ro)?$/.exec(text);
  const [, project, name, path, ro] = match ?? [];
  if (project === undefined || name === undefined || path === undefined)
    throw new Error(`"${text}" is no host path: write project/name=/host/path, or …:ro for reading only`);
  if (!Value.Check(Name, project) || !Value.Check(Name, name))
    throw new Error(`"${project}/${name}" is no name of a host path: ${Name.description ?? ''}`);
  // A colon separates options where engines take mounts as text.
  if (path === '/' || path.includes(':') || !isPlainPath(path))
    throw new Error(
      `"${path}" cannot be mounted: write an absolute path other than /, without . and .. and colons`,
    );
  return { project, name, path, readOnly: ro !== undefined };
}

/** Whether an absolute path is written in its shortest form: nothing in it is resolved away, and it ends in no slash. */
export function isPlainPath(path: string): boolean {
  const segments = path.split('/');
  return segments.shift() === '' && segments.every((part) => part !== '' && part !== '.' && part !== '..');
}

/** Whether one path is the other, or lies in it. */
export function isWithin(path: string, directory: string): boolean {
  return path === directory || path.startsWith(directory === '/' ? '/' : `${directory}/`);
}

/** What a project may mount, by name. */
export function hostPathsOf(paths: readonly HostPath[], project: string): HostPath[] {
  return paths.filter((path) => path.project === project);
}
