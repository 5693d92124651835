type Json = Readonly<Record<string, unknown>>;

/** Words of JSON Schema that Kubernetes takes as they are. */
const KEPT = new Set([
  'type',
  'description',
  'enum',
  'format',
  'pattern',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'minItems',
  'maxItems',
  'required',
]);
/** Words that say nothing to Kubernetes: defaults belong to the operator, which would otherwise see its own as the user's. */
const DROPPED = new Set(['$schema', '$id', 'title', 'default', 'examples', 'propertyNames']);

/**
 * toStructural turns a JSON Schema, as zod gives it, into the structural schema that a CustomResourceDefinition needs. It throws on a
 * word that it does not know, so that no rule is lost in silence.
 */
export function toStructural(schema: Json): Json {
  const made: Record<string, unknown> = {};
  for (const [word, value] of Object.entries(schema)) {
    if (KEPT.has(word)) made[word] = word === 'pattern' ? withoutLookahead(value as string) : value;
    else if (word === 'const') made['enum'] = [value];
    else if (word === 'properties') made[word] = mapValues(value as Json, toStructural);
    else if (word === 'items') made[word] = toStructural(value as Json);
    else if (word === 'additionalProperties') {
      // False is what pruning does; Kubernetes has no word for it beside properties.
      if (value !== false) made[word] = toStructural(value as Json);
    } else if (word === 'anyOf' && isScalar(value as Json[]))
      made['x-kubernetes-preserve-unknown-fields'] = true;
    else if (word === 'anyOf' || word === 'oneOf' || word === 'allOf')
      made[word] = (value as Json[]).map(toRule);
    else if (word === 'not') made[word] = toRule(value as Json);
    else if (word === 'if') made['anyOf'] = implication(value as Json, schema['then'] as Json);
    else if (word !== 'then' && !DROPPED.has(word))
      throw new Error(`no structural schema has the word ${word}`);
  }
  // Any value at all: kept as it is.
  if (Object.keys(schema).every((word) => word === 'description' || DROPPED.has(word)))
    made['x-kubernetes-preserve-unknown-fields'] = true;
  return made;
}

const SCALARS: readonly unknown[] = ['string', 'number', 'boolean'];

/** A text, a number or a boolean: Kubernetes has no word for one of several types, so that only the operator judges it. */
function isScalar(choices: readonly Json[]): boolean {
  return choices.every(({ type }) => SCALARS.includes(type));
}

/** A condition inside anyOf and the like: neither types nor descriptions stand in it. */
function toRule(rule: Json): Json {
  const made: Record<string, unknown> = {};
  for (const [word, value] of Object.entries(rule)) {
    if (word === 'required' || word === 'minItems' || word === 'enum') made[word] = value;
    else if (word === 'const') made['enum'] = [value];
    else if (word === 'properties') made[word] = mapValues(value as Json, toRule);
    else if (word === 'not') made[word] = toRule(value as Json);
    else if (word === 'anyOf' || word === 'oneOf') made[word] = (value as Json[]).map(toRule);
    else throw new Error(`no condition of a structural schema has the word ${word}`);
  }
  return made;
}

/** If P then Q: not P, or Q. */
function implication(condition: Json, consequence: Json): Json[] {
  const then = toRule(consequence);
  const ways = Array.isArray(then['anyOf']) ? (then['anyOf'] as Json[]) : [then];
  return [{ not: toRule(condition) }, ...ways];
}

/**
 * Kubernetes' expressions know no lookahead. The one in use asks for a digit above 0 somewhere, which only the operator can refuse
 * then: a window of 0s passes the API server and makes the policy not ready.
 */
function withoutLookahead(pattern: string): string {
  const kept = pattern.replace('(?=.*[1-9])', '');
  if (/\(\?[=!<]/.test(kept)) throw new Error(`Kubernetes has no lookaround: ${pattern}`);
  return kept;
}

function mapValues(values: Json, change: (value: Json) => Json): Json {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, change(value as Json)]));
}
