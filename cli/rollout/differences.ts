/** What two deployments differ in, of all that runs. Pure. */
import type { DeploymentResource } from '../../specs/resources.ts';

export interface Difference {
  /** Where: `env.LOG_LEVEL`, `resources.memory`, `image`, … */
  field: string;
  /** Undefined: it is not there. */
  before: string | undefined;
  after: string | undefined;
}

/**
 * Field by field, sorted. Of secrets the versions of their values are compared; a Viewer gets no values of the
 * environment, so that to one changed values look alike.
 */
export function differences(before: DeploymentResource, after: DeploymentResource): Difference[] {
  const [a, b] = [fieldsOf(before), fieldsOf(after)];
  return [...new Set([...a.keys(), ...b.keys()])]
    .sort()
    .map((field) => ({ field, before: a.get(field), after: b.get(field) }))
    .filter((found) => found.before !== found.after);
}

function fieldsOf(deployment: DeploymentResource): Map<string, string> {
  const { image, commit, digest, port, listen, command, volumes } = deployment;
  const fields = new Map<string, string>();
  const put = (name: string, value: string | number | null): void => {
    if (value !== null) fields.set(name, String(value));
  };
  put('image', image);
  put('commit', commit);
  put('digest', digest);
  put('port', port);
  put('listen', listen);
  put('command', command && JSON.stringify(command));
  for (const [group, members] of groupsOf(deployment))
    for (const [name, value] of Object.entries(members)) put(`${group}.${name}`, value);
  for (const volume of volumes)
    put(`volumes.${volume.mount}`, 'name' in volume ? volume.name : `host path ${volume.host}`);
  return fields;
}

function groupsOf({
  env,
  secrets,
  health,
  resources,
}: DeploymentResource): [group: string, members: Readonly<Record<string, string | number>>][] {
  const versions = Object.fromEntries(
    Object.entries(secrets).map(([name, version]) => [name, `version ${version}`]),
  );
  return [
    ['env', env],
    ['secrets', versions],
    ['health', health],
    ['resources', resources],
  ];
}
