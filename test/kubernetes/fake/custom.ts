import type { Json } from './objects.ts';
import type { Kind } from './kinds.ts';
import { StatusError } from './status-error.ts';

/** toKind gives the kind that a CustomResourceDefinition brings, and its schema. */
export function toKind(definition: Json): { kind: Kind; schema: Json } {
  const spec = definition['spec'] as {
    group: string;
    scope: string;
    names: { kind: string; plural: string };
    versions: { name: string; schema: { openAPIV3Schema: Json }; subresources?: { status?: unknown } }[];
  };
  const [version] = spec.versions;
  if (version === undefined) throw new StatusError(422, 'Invalid', 'spec.versions: Required value');
  const schema = version.schema.openAPIV3Schema;
  checkStructural(schema, 'spec.versions[0].schema.openAPIV3Schema', true);
  return {
    kind: {
      group: spec.group,
      version: version.name,
      kind: spec.names.kind,
      plural: spec.names.plural,
      namespaced: spec.scope === 'Namespaced',
      hasStatus: version.subresources?.status !== undefined,
    },
    schema,
  };
}

const STRUCTURE = ['type', 'description', 'default', 'additionalProperties', 'nullable', 'title'];
const WORDS = new Set([
  ...STRUCTURE,
  ...[
    'properties',
    'items',
    'enum',
    'format',
    'pattern',
    'minLength',
    'maxLength',
    'minimum',
    'maximum',
    'minItems',
    'maxItems',
  ],
  ...['required', 'anyOf', 'oneOf', 'allOf', 'not', 'x-kubernetes-preserve-unknown-fields'],
]);

/** The rules of structural schemas that a real API server refuses a definition for. */
function checkStructural(schema: Json, at: string, outside: boolean): void {
  const refuse = (why: string): never => {
    throw new StatusError(422, 'Invalid', `${at}: ${why}`);
  };
  for (const word of Object.keys(schema)) if (!WORDS.has(word)) refuse(`unknown field "${word}"`);
  if (outside && schema['type'] === undefined && schema['x-kubernetes-preserve-unknown-fields'] !== true)
    refuse('type: Required value: must not be empty for specified object fields');
  if (!outside)
    for (const word of STRUCTURE)
      if (word in schema) refuse(`${word}: Forbidden: must be undefined to be structural`);
  if ('properties' in schema && 'additionalProperties' in schema)
    refuse('additionalProperties: Forbidden: mutually exclusive');
  if (typeof schema['pattern'] === 'string' && /\(\?[=!<]/.test(schema['pattern']))
    refuse('pattern: Invalid value: must be a valid regular expression, invalid or unsupported Perl syntax');
  for (const [name, inner] of Object.entries((schema['properties'] ?? {}) as Record<string, Json>))
    checkStructural(inner, `${at}.properties[${name}]`, outside);
  if (schema['items'] !== undefined) checkStructural(schema['items'] as Json, `${at}.items`, outside);
  if (typeof schema['additionalProperties'] === 'object')
    checkStructural(schema['additionalProperties'] as Json, `${at}.additionalProperties`, outside);
  for (const word of ['anyOf', 'oneOf', 'allOf'])
    for (const inner of (schema[word] ?? []) as Json[]) checkStructural(inner, `${at}.${word}`, false);
  if (schema['not'] !== undefined) checkStructural(schema['not'] as Json, `${at}.not`, false);
}

/**
 * admitCustom holds a custom object to its schema: gives it without the fields that the schema does not know, and their paths. Throws
 * 422 for a value that it refuses.
 */
export function admitCustom(value: Json, schema: Json, kind: Kind): { pruned: Json; unknown: string[] } {
  const unknown: string[] = [];
  const faults: string[] = [];
  const { metadata, apiVersion, kind: name, ...rest } = value;
  const properties = { ...(schema['properties'] as Json) };
  for (const own of ['metadata', 'apiVersion', 'kind']) delete properties[own];
  const pruned = take(rest, { ...schema, properties }, '', unknown, faults) as Json;
  if (faults.length > 0)
    throw new StatusError(
      422,
      'Invalid',
      `${kind.kind}.${kind.group} "${String((metadata as Json)['name'])}" is invalid: ${faults.join(', ')}`,
    );
  return { pruned: { apiVersion, kind: name, metadata, ...pruned }, unknown };
}

function take(value: unknown, schema: Json, path: string, unknown: string[], faults: string[]): unknown {
  const fault = (why: string): void => void faults.push(`${path}: Invalid value: ${why}`);
  const { type } = schema as { type?: string };
  const is = Array.isArray(value) ? 'array' : value === null ? 'null' : typeof value;
  const fits = type === undefined || is === type || (type === 'integer' && Number.isInteger(value));
  if (!fits) {
    fault(`"${is}": ${path} in body must be of type ${type}: "${is}"`);
    return value;
  }
  if (!holds(value, schema)) fault('it breaks a rule of the schema');
  if (Array.isArray(value))
    return value.map((one, index) =>
      take(one, (schema['items'] ?? {}) as Json, `${path}[${index}]`, unknown, faults),
    );
  if (is !== 'object') return value;
  const { properties = {}, additionalProperties } = schema as {
    properties?: Record<string, Json>;
    additionalProperties?: Json;
  };
  const keepsAll = schema['x-kubernetes-preserve-unknown-fields'] === true;
  const made: Json = {};
  for (const [key, inner] of Object.entries(value as Json)) {
    const at = path === '' ? key : `${path}.${key}`;
    const own = properties[key] ?? additionalProperties;
    if (own !== undefined) made[key] = take(inner, own, at, unknown, faults);
    else if (keepsAll) made[key] = inner;
    else unknown.push(at);
  }
  return made;
}

/** Whether the words of a schema that say nothing of structure hold for a value. */
function holds(value: unknown, schema: Json): boolean {
  const s = schema as Record<string, never> & {
    enum?: unknown[];
    required?: string[];
    properties?: Record<string, Json>;
    anyOf?: Json[];
    oneOf?: Json[];
    allOf?: Json[];
    not?: Json;
    pattern?: string;
  };
  if (s.enum !== undefined && !s.enum.includes(value)) return false;
  if (typeof value === 'string') {
    if (
      value.length > ((s['maxLength'] as number | undefined) ?? Infinity) ||
      value.length < ((s['minLength'] as number | undefined) ?? 0)
    )
      return false;
    if (s.pattern !== undefined && !new RegExp(s.pattern, 'u').test(value)) return false;
    if ((s['format'] as string | undefined) === 'date-time' && Number.isNaN(Date.parse(value))) return false;
  }
  if (
    typeof value === 'number' &&
    (value < ((s['minimum'] as number | undefined) ?? -Infinity) ||
      value > ((s['maximum'] as number | undefined) ?? Infinity))
  )
    return false;
  if (
    Array.isArray(value) &&
    (value.length > ((s['maxItems'] as number | undefined) ?? Infinity) ||
      value.length < ((s['minItems'] as number | undefined) ?? 0))
  )
    return false;
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) {
    if (s.required?.some((key) => !(key in value)) === true) return false;
    // What stands in properties is checked where it is structure; inside a condition it is part of it.
    if (schema['type'] === undefined)
      for (const [key, inner] of Object.entries(s.properties ?? {}))
        if (key in value && !holds((value as Json)[key], inner)) return false;
  }
  if (s.not !== undefined && holds(value, s.not)) return false;
  if (s.anyOf !== undefined && !s.anyOf.some((one) => holds(value, one))) return false;
  if (s.oneOf !== undefined && s.oneOf.filter((one) => holds(value, one)).length !== 1) return false;
  return s.allOf?.every((one) => holds(value, one)) !== false;
}
