import { toAllowList } from './allow-list.ts';
import { at, listAt, textAt, textsIn, type Converted, type Json, type Part } from './imported.ts';

/** CONTAINERS are the lists of containers of a pod. Ours judges all of them. */
const CONTAINERS = ['containers', 'initContainers', 'ephemeralContainers'] as const;

/** Asked is what a condition becomes: parts of ours, with the lists of containers that each is asked of. */
export interface Asked {
  readonly parts: readonly { readonly part: Part; readonly lists: readonly string[] }[];
  readonly narrower: readonly string[];
  readonly wider: readonly string[];
}

/** Key is what a condition compares, of the image of each container in some lists. */
interface Key {
  readonly what: 'image' | 'registry' | 'tag' | 'digest';
  readonly lists: readonly string[];
  /** It is one text, not the texts of all containers. */
  readonly single: boolean;
}

const OF_IMAGES =
  /^images\.(containers|initContainers|ephemeralContainers)\.(\*|"\{\{element\.name\}\}")\.(registry|tag|digest)$/;
const OF_PODS = /^request\.object\.spec\.(containers|initContainers|ephemeralContainers)\[\*?\]\.image$/;
const DENIES_OTHERS = /^(?:Any|All)?NotIn$|^NotEquals?$/;
const DENIES_THESE = /^(?:Any|All)?In$|^Equals?$/;
const DENY_LIST = 'ours lists what is allowed, not what is denied';
const UNKNOWN = 'an ImagePolicy cannot express one of its conditions';

/**
 * deniedBy reads the conditions of `deny`: one of `any` denies, and those of `all` deny together. A list of containers is given where
 * they are asked for each element of it. A text says why nothing of them can be said.
 */
export function deniedBy(deny: Json, elements: readonly string[] | null): Asked | string {
  const conditions = at(deny, 'conditions');
  const alternatives = listAt(conditions, 'any');
  const together = Object.hasOwn(conditions, 'all') ? listAt(conditions, 'all') : listAt(deny, 'conditions');
  const asked = together.filter((one) => !isOfRequest(one as Json));
  if (alternatives.length > 0 && asked.length > 0) return 'it denies by several conditions together';
  const read = (alternatives.length > 0 ? alternatives : asked).map((one) =>
    conditionOf(one as Json, elements),
  );
  const known = read.filter((one) => typeof one !== 'string');
  const why = read.find((one) => typeof one === 'string') ?? 'it has no condition';
  const [first] = known;
  if (first === undefined) return why;
  if (alternatives.length === 0)
    return read.length === 1
      ? first
      : { ...first, narrower: [...first.narrower, 'one of the conditions that deny together is enough'] };
  return {
    parts: known.flatMap(({ parts }) => parts),
    narrower: known.flatMap(({ narrower }) => narrower),
    wider: [...known.flatMap(({ wider }) => wider), ...(known.length < read.length ? [why] : [])],
  };
}

/** Whether a condition says only that a pod is created or changed, as each that ours judges is. */
function isOfRequest(condition: Json): boolean {
  const operations = valuesOf(condition) ?? [];
  if (!/request\.operation/.test(textAt(condition, 'key'))) return false;
  const operator = textAt(condition, 'operator');
  return DENIES_THESE.test(operator)
    ? ['CREATE', 'UPDATE'].every((one) => operations.includes(one))
    : DENIES_OTHERS.test(operator) && operations.every((one) => one === 'DELETE');
}

function conditionOf(condition: Json, elements: readonly string[] | null): Asked | string {
  const key = keyOf(textAt(condition, 'key'), elements);
  const values = valuesOf(condition);
  const operator = textAt(condition, 'operator');
  if (key === null || values === null) return UNKNOWN;
  const others = DENIES_OTHERS.test(operator);
  if (!others && !DENIES_THESE.test(operator)) return UNKNOWN;
  const all = operator.startsWith('All') && !key.single;
  const made = others ? allowed(key, values) : denied(key, values);
  if (typeof made === 'string') return made;
  const narrower = all ? ['one image denies the pod, where all of them had to'] : [];
  return { ...made, narrower: [...made.narrower, ...narrower] };
}

/** The texts that a condition compares with; null where they come from elsewhere. */
function valuesOf(condition: Json): string[] | null {
  const { value } = condition;
  const written: unknown[] = Array.isArray(value) ? value : [value];
  const values = textsIn(written);
  const whole = values.length === written.length;
  return whole && values.length > 0 && !values.some((one) => /\{\{/.test(one)) ? values : null;
}

function keyOf(text: string, elements: readonly string[] | null): Key | null {
  const inner = /^\s*\{\{(.*)\}\}\s*$/s.exec(text)?.[1] ?? '';
  // What stands for a value that is not there: nothing is compared then.
  const key = inner.replace(/\|\|\s*(?:`[^`]*`|'[^']*')\s*$/, '').replaceAll('\\"', '"');
  const path = key.replaceAll(/\s+/g, '');
  if (path === 'element.image' && elements !== null) return { what: 'image', lists: elements, single: true };
  const [, list = '', which = '', what] = OF_IMAGES.exec(path) ?? [];
  if (what === 'registry' || what === 'tag' || what === 'digest')
    return which === '*'
      ? { what, lists: [list], single: false }
      : { what, lists: elements ?? [], single: true };
  const pods = OF_PODS.exec(path)?.[1];
  return pods === undefined ? null : { what: 'image', lists: [pods], single: false };
}

/** What denies every value but these. */
function allowed({ what, lists }: Key, values: readonly string[]): Asked | string {
  const said = (part: Part, narrower: readonly string[] = []): Asked => ({
    parts: [{ part, lists }],
    narrower,
    wider: [],
  });
  if (what === 'tag' || what === 'digest') return UNKNOWN;
  if (what === 'image' && values.every((one) => /^\*@(?:sha256:)?\*$/.test(one)))
    return said({ digestEnforcement: 'require' });
  if (what === 'image' && values.every((one) => one === '*:*'))
    return said({ denyLatestTag: true }, ['the tag latest is denied too']);
  const list = toAllowList(what === 'image' ? values : values.map((host) => `${host}/*`));
  if (list.any) return 'it allows every image';
  if (list.entries.length === 0) return list.narrower.join('; ');
  return { ...said({ allowedRegistries: [...list.entries] }, list.narrower), wider: list.wider };
}

/** What denies these values. */
function denied({ what, lists }: Key, values: readonly string[]): Asked | string {
  const said = (part: Part, narrower: readonly string[] = [], wider: readonly string[] = []): Asked => ({
    parts: [{ part, lists }],
    narrower,
    wider,
  });
  if (what === 'digest' && values.every((one) => one === '')) return said({ digestEnforcement: 'require' });
  const latest = what === 'tag' ? 'latest' : '*:latest';
  if ((what !== 'tag' && what !== 'image') || !values.includes(latest)) return DENY_LIST;
  const others = values.filter((one) => one !== latest && one !== '').map((one) => `"${one}" is not denied`);
  return what === 'tag'
    ? said({ denyLatestTag: true }, [], ['the tag latest beside a digest is allowed', ...others])
    : said({ denyLatestTag: true }, ['a reference without a tag is denied too'], others);
}

/** askedOf makes a rule of all that is asked of containers. Ours judges all of them, so that one that is asked of some is narrower. */
export function askedOf(rule: string, path: readonly PropertyKey[], asked: readonly Asked[]): Converted {
  const byPart = Map.groupBy(
    asked.flatMap(({ parts }) => parts),
    ({ part }) => JSON.stringify(part),
  );
  const parts = [...byPart.values()].flatMap(([first]) => (first === undefined ? [] : [first.part]));
  const whole = [...byPart.values()].every(
    (same) => new Set(same.flatMap(({ lists }) => lists)).size === CONTAINERS.length,
  );
  const narrower = asked.flatMap((one) => one.narrower);
  return {
    rule,
    path,
    parts,
    notCovered: null,
    narrower: [...new Set([...(whole ? [] : ['containers of all kinds are judged']), ...narrower])],
    wider: [...new Set(asked.flatMap((one) => one.wider))],
  };
}

/** listsIn gives the lists of containers that an expression names. */
export function listsIn(expression: string): string[] {
  return CONTAINERS.filter((list) => new RegExp(`(?<![A-Za-z])${list}(?![A-Za-z])`).test(expression));
}
