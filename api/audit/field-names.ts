/**
 * Which fields a body had, by name and never by value. Only names that its schema knows, and names of variables: what
 * somebody typed into the wrong place may be a secret, and the audit is kept for long.
 */
import { Environment } from '../../specs/workload.ts';

/** A body of many fields says no more than this. */
const maxNames = 200;

/** What matters here of a JSON Schema. */
interface Schema {
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  items?: Schema;
  pattern?: string;
  anyOf?: Schema[];
  allOf?: Schema[];
}

/** The only pattern whose matches are names of something. */
const [variable = ''] = Object.keys(Environment.patternProperties);

/** @returns sorted: `port`, and with the variables of a map or list of them `env.LOG_LEVEL`, `unset.OLD` */
export function fieldNames(body: unknown, schema: unknown): string[] {
  if (!isObject(body)) return [];
  const known = propertiesOf(schema ?? {});
  const names = Object.entries(body).flatMap(([name, value]) => {
    const field = known.get(name);
    if (!field) return [];
    const inner = variablesOf(value, field);
    return inner.length > 0 ? inner.map((variableName) => `${name}.${variableName}`) : [name];
  });
  return names.sort().slice(0, maxNames);
}

/** Of an object, or of all branches of a union of objects. */
function propertiesOf({ properties = {}, anyOf = [], allOf = [] }: Schema): Map<string, Schema> {
  const inherited = [...anyOf, ...allOf].flatMap((branch) => [...propertiesOf(branch)]);
  return new Map([...inherited, ...Object.entries(properties)]);
}

function variablesOf(value: unknown, { patternProperties, items }: Schema): string[] {
  const names = new RegExp(variable);
  const isName = (name: unknown) => typeof name === 'string' && name.length <= 256 && names.test(name);
  if (Array.isArray(value) && items?.pattern === variable) return value.filter(isName) as string[];
  return isObject(value) && patternProperties?.[variable] ? Object.keys(value).filter(isName) : [];
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
