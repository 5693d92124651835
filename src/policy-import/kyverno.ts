import { toAllowList } from './allow-list.ts';
import { at, left, listAt, textAt, textsIn, type Converted, type Json, type Part } from './imported.ts';
import { celRule, variablesIn } from './kyverno-cel.ts';
import { askedOf, deniedBy, listsIn } from './kyverno-deny.ts';
import { verifyImagesRule } from './kyverno-images.ts';

/** kyvernoEnforces tells whether a rule of a policy denies. */
export function kyvernoEnforces(spec: Json, rule: Json): boolean {
  const action =
    textAt(rule, 'validate', 'failureAction') || textAt(spec, 'validationFailureAction') || 'Audit';
  return action.toLowerCase() === 'enforce';
}

/** namespacesOf gives the namespaces that a rule is limited to; null where that cannot be said. Ours then governs all. */
function namespacesOf(rule: Json): { readonly names: string[]; readonly narrower: string[] } {
  const match = at(rule, 'match');
  const filters = [...listAt(match, 'any'), ...listAt(match, 'all')];
  const resources =
    filters.length === 0 ? [at(match, 'resources')] : filters.map((one) => at(one, 'resources'));
  const lists = resources.map((one) => textsIn(listAt(one, 'namespaces')));
  const exact = lists.every((names) => names.length > 0 && names.every((name) => /^[a-z0-9-]+$/.test(name)));
  const narrower: string[] = [];
  if (!exact && lists.some((names) => names.length > 0)) narrower.push('it governs all namespaces');
  const limits = [
    'selector',
    'namespaceSelector',
    'annotations',
    'names',
    'name',
    'subjects',
    'roles',
    'clusterRoles',
  ];
  if ([...filters, ...resources].some((one) => limits.some((limit) => Object.hasOwn(one as object, limit))))
    narrower.push('what limits it to some pods or people is not carried over');
  if (Object.hasOwn(rule, 'exclude') || Object.hasOwn(rule, 'preconditions'))
    narrower.push('exclusions and preconditions are not carried over');
  return { names: exact && listAt(match, 'all').length === 0 ? [...new Set(lists.flat())] : [], narrower };
}

/** Whether a rule is about pods: Kyverno makes rules for controllers of it. */
function isAboutPods(rule: Json): boolean {
  const match = at(rule, 'match');
  const filters = [...listAt(match, 'any'), ...listAt(match, 'all'), match];
  return filters.some((one) =>
    textsIn(listAt(one, 'resources', 'kinds')).some((kind) => /^(?:\*|(?:[^/]*\/)*Pod)$/.test(kind)),
  );
}

/** kyvernoRules reads the rules of a ClusterPolicy or Policy. */
export function kyvernoRules(spec: Json): Converted[] {
  return listAt(spec, 'rules').map((value, i): Converted => {
    const rule = value as Json;
    const name = textAt(rule, 'name') || `rule ${i + 1}`;
    const path = ['spec', 'rules', i, 'name'];
    if (Object.hasOwn(rule, 'mutate') || Object.hasOwn(rule, 'generate'))
      return left(name, path, 'it changes or makes objects, and ours only decides');
    if (!isAboutPods(rule)) return left(name, path, 'it is not about pods');
    const made = Object.hasOwn(rule, 'verifyImages')
      ? verifyImagesRule(rule, name, path)
      : validateRule(rule, name, path);
    if (made.notCovered !== null) return made;
    const { names, narrower } = namespacesOf(rule);
    return {
      ...made,
      parts: made.parts.map((part) => ({ ...part, ...(names.length > 0 && { targetNamespaces: names }) })),
      narrower: [...made.narrower, ...narrower],
    };
  });
}

function validateRule(rule: Json, name: string, path: readonly PropertyKey[]): Converted {
  const validate = at(rule, 'validate');
  if (Object.hasOwn(validate, 'cel')) {
    const texts = listAt(validate, 'cel', 'expressions').map((one) => textAt(one, 'expression'));
    return celRule(texts, variablesIn(at(validate, 'cel')), name, path);
  }
  const foreach = listAt(validate, 'foreach') as Json[];
  const denials = foreach.length > 0 ? foreach : [validate];
  const made = denials.every((one) => Object.hasOwn(one, 'deny'))
    ? denyRule(denials, name, path)
    : patternsRule(validate, name, path);
  const skips = foreach.some((one) => Object.hasOwn(one, 'preconditions'));
  return skips ? { ...made, narrower: [...made.narrower, 'preconditions are not carried over'] } : made;
}

/** A rule that denies by conditions, of the whole pod or for each container of a list. */
function denyRule(denials: readonly Json[], name: string, path: readonly PropertyKey[]): Converted {
  const read = denials.map((one) => {
    const list = textAt(one, 'list');
    return deniedBy(at(one, 'deny'), list === '' ? null : listsIn(list));
  });
  const known = read.filter((one) => typeof one !== 'string');
  const why = read.find((one) => typeof one === 'string');
  if (known.length === 0) return left(name, path, why ?? 'it has no condition');
  const made = askedOf(name, path, known);
  return why === undefined ? made : { ...made, wider: [...made.wider, why] };
}

function patternsRule(validate: Json, name: string, path: readonly PropertyKey[]): Converted {
  const alternatives = listAt(validate, 'anyPattern') as Json[];
  if (alternatives.length > 0) return anyPatternRule(alternatives, name, path);
  const patterns = imagePatterns(validate);
  if (patterns === null) return left(name, path, 'an ImagePolicy cannot express its condition');
  return patternRule(patterns, name, path);
}

/** Patterns one of which a pod must match as a whole: ours allows for each container what one of them allows. */
function anyPatternRule(
  alternatives: readonly Json[],
  name: string,
  path: readonly PropertyKey[],
): Converted {
  const patterns = alternatives.map((one) => {
    const asked = podPattern(at(one, 'spec'), one);
    return new Set(asked).size === 1 ? (asked[0] ?? null) : null;
  });
  if (patterns.includes(null)) return left(name, path, 'an ImagePolicy cannot express one of its patterns');
  const made = patternRule([(patterns as string[]).join('|')], name, path);
  return { ...made, wider: [...made.wider, 'containers of one pod may match different patterns'] };
}

/** The patterns that images must match, one for each place; null where something else is asked as well. */
function imagePatterns(validate: Json): string[] | null {
  const foreach = listAt(validate, 'foreach');
  const patterns =
    foreach.length > 0
      ? foreach.map((one) => imageOnly(at(one, 'pattern')))
      : podPattern(at(validate, 'pattern', 'spec'), at(validate, 'pattern'));
  return patterns.length === 0 || patterns.includes(null) ? null : (patterns as string[]);
}

function podPattern(spec: Json, whole: Json): (string | null)[] {
  if (Object.keys(whole).some((key) => key !== 'spec')) return [null];
  return Object.entries(spec).flatMap(([key, list]) => {
    if (!/^(?:=\()?(?:containers|initContainers|ephemeralContainers)\)?$/.test(key) || !Array.isArray(list))
      return [null];
    return (list as unknown[]).map((one) => imageOnly(one as Json));
  });
}

function imageOnly(pattern: Json): string | null {
  const keys = Object.keys(pattern);
  return keys.length === 1 && keys[0] === 'image' && !/\{\{/.test(textAt(pattern, 'image'))
    ? textAt(pattern, 'image')
    : null;
}

function patternRule(patterns: readonly string[], name: string, path: readonly PropertyKey[]): Converted {
  const [first = '', ...others] = new Set(patterns);
  if (others.length > 0)
    return left(name, path, 'it asks one thing of some containers and another of others');
  const narrower = ['containers of all kinds are judged'];
  const made = (part: Part, more: readonly string[]): Converted => ({
    rule: name,
    path,
    parts: [part],
    narrower: more,
    wider: [],
    notCovered: null,
  });
  const all = patterns.length >= 3 ? [] : narrower;
  if (first === '*:*') return made({ denyLatestTag: true }, [...all, 'the tag latest is denied too']);
  if (first === '!*:latest')
    return made({ denyLatestTag: true }, [...all, 'a reference without a tag is denied too']);
  if (first === '*@*' || first === '*@sha256:*') return made({ digestEnforcement: 'require' }, all);
  if (/[!&]/.test(first)) return left(name, path, 'an allow-list has no exceptions');
  const list = toAllowList(first.split('|'));
  if (list.any) return left(name, path, 'it allows every image');
  if (list.entries.length === 0) return left(name, path, list.narrower.join('; '));
  return { ...made({ allowedRegistries: [...list.entries] }, [...all, ...list.narrower]), wider: list.wider };
}
