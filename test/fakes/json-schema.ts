/** Schema is a JSON schema as OpenAPI 2 and 3 and JSON Schema draft 4 write it. */
export type Schema = Readonly<Record<string, unknown>>;

/** SchemaRules say what a document means by its schemas beyond the standard. */
export interface SchemaRules {
  /** The document that `$ref` points into. */
  readonly root: Schema;
  /** Whether null goes for every type: Swagger 2 has no word for it. */
  readonly nulls: boolean;
  /** Schemas of the document that are known to be wrong: true means that the value is not looked at. */
  readonly known?: (schema: Schema, at: string) => boolean;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** problemsOf lists where a value breaks a schema: `path: what`. Formats are read for dates and addresses alone. */
export function problemsOf(schema: Schema, value: unknown, rules: SchemaRules, at = '$'): string[] {
  if (rules.known?.(schema, at) === true) return [];
  if (typeof schema['$ref'] === 'string')
    return problemsOf(resolve(schema['$ref'], rules.root), value, rules, at);
  if (value === null && (rules.nulls || schema['nullable'] === true)) return [];
  const found: string[] = [];
  const list = (name: string): Schema[] => (schema[name] as Schema[] | undefined) ?? [];
  for (const part of list('allOf')) found.push(...problemsOf(part, value, rules, at));
  for (const name of ['anyOf', 'oneOf']) {
    const choices = list(name);
    if (choices.length === 0) continue;
    const each = choices.map((choice) => problemsOf(choice, value, rules, at));
    if (each.every((problems) => problems.length > 0)) {
      found.push(each.toSorted((a, b) => a.length - b.length)[0]?.[0] ?? `${at}: fits no choice`);
    }
  }
  const choices = schema['enum'] as unknown[] | undefined;
  if (choices !== undefined && !choices.includes(value))
    found.push(`${at}: ${JSON.stringify(value)} is no choice`);
  const type = schema['type'];
  if (typeof type === 'string' && !isOf(type, value))
    return [...found, `${at}: ${JSON.stringify(value)} is no ${type}`];
  if (typeof value === 'string') found.push(...textProblems(schema, value, at));
  if (typeof value === 'number') {
    if (Number(schema['minimum'] ?? -Infinity) > value) found.push(`${at}: ${value} is too small`);
    if (Number(schema['maximum'] ?? Infinity) < value) found.push(`${at}: ${value} is too large`);
  }
  if (Array.isArray(value)) found.push(...listProblems(schema, value, rules, at));
  if (isObject(value)) found.push(...objectProblems(schema, value, rules, at));
  return found;
}

function resolve(ref: string, root: Schema): Schema {
  let found: unknown = root;
  for (const name of ref.slice(2).split('/'))
    found = isObject(found) ? found[decodeURIComponent(name)] : undefined;
  if (!isObject(found)) throw new Error(`the document has no ${ref}`);
  return found;
}

function isOf(type: string, value: unknown): boolean {
  switch (type) {
    case 'object':
      return isObject(value);
    case 'array':
      return Array.isArray(value);
    case 'integer':
      return Number.isInteger(value);
    case 'null':
      return value === null;
    default:
      return typeof value === type;
  }
}

function textProblems(schema: Schema, value: string, at: string): string[] {
  const found: string[] = [];
  if (Number(schema['minLength'] ?? 0) > value.length) found.push(`${at}: too short`);
  if (Number(schema['maxLength'] ?? Infinity) < value.length) found.push(`${at}: too long`);
  if (typeof schema['pattern'] === 'string' && !new RegExp(schema['pattern']).test(value)) {
    found.push(`${at}: ${JSON.stringify(value)} does not match ${schema['pattern']}`);
  }
  const offset = value.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  if (schema['format'] === 'date-time' && Number.isNaN(Date.parse(offset)))
    found.push(`${at}: ${value} is no time`);
  if (schema['format'] === 'uri' && !URL.canParse(value)) found.push(`${at}: ${value} is no address`);
  return found;
}

function listProblems(schema: Schema, value: readonly unknown[], rules: SchemaRules, at: string): string[] {
  const found: string[] = [];
  if (Number(schema['minItems'] ?? 0) > value.length) found.push(`${at}: too few`);
  if (Number(schema['maxItems'] ?? Infinity) < value.length) found.push(`${at}: too many`);
  const items = schema['items'];
  if (!isObject(items)) return found;
  return [...found, ...value.flatMap((item, index) => problemsOf(items, item, rules, `${at}[${index}]`))];
}

function objectProblems(
  schema: Schema,
  value: Readonly<Record<string, unknown>>,
  rules: SchemaRules,
  at: string,
): string[] {
  const found: string[] = [];
  for (const name of (schema['required'] as string[] | undefined) ?? []) {
    if (!(name in value)) found.push(`${at}: ${name} is missing`);
  }
  const properties = (schema['properties'] as Record<string, Schema> | undefined) ?? {};
  const more = schema['additionalProperties'];
  for (const [name, member] of Object.entries(value)) {
    const own = Object.hasOwn(properties, name) ? properties[name] : undefined;
    if (own !== undefined) found.push(...problemsOf(own, member, rules, `${at}.${name}`));
    else if (more === false) found.push(`${at}: ${name} is not known`);
    else if (isObject(more)) found.push(...problemsOf(more, member, rules, `${at}.${name}`));
  }
  return found;
}
