import { toAllowList } from './allow-list.ts';
import { left, listAt, textAt, type Converted, type Json, type Part } from './imported.ts';
import { askedOf, listsIn, type Asked } from './kyverno-deny.ts';

const ALL = /^(.+)\.all\(\s*(\w+)\s*,(.*)\)$/s;
const LIST = String.raw`object\.spec\.(?:containers|initContainers|ephemeralContainers)`;
const OPTIONAL = String.raw`object\.spec\.\?(?:containers|initContainers|ephemeralContainers)\.orValue\(\[\]\)`;
const GUARDED = String.raw`\(\s*has\(${LIST}\)\s*\?\s*${LIST}\s*:\s*\[\]\s*\)`;
const LISTS = new RegExp(
  String.raw`^\(?\s*(?:${LIST}|${OPTIONAL}|${GUARDED})(?:\s*\+\s*(?:${LIST}|${OPTIONAL}|${GUARDED}))*\s*\)?$`,
);
const GUARD = new RegExp(String.raw`^!\s*has\(${LIST}\)$`);
const UNKNOWN = 'its expression is none of the known forms';

/** variablesIn gives the expressions of the variables of a policy, by name. */
export function variablesIn(spec: Json): ReadonlyMap<string, string> {
  return new Map(
    listAt(spec, 'variables').map((one) => [textAt(one, 'name'), textAt(one, 'expression').trim()]),
  );
}

/** celRule reads expressions of the known forms: each asks something of the image of every container of some lists. */
export function celRule(
  expressions: readonly string[],
  variables: ReadonlyMap<string, string>,
  name: string,
  path: readonly PropertyKey[],
): Converted {
  const asked: Asked[] = [];
  for (const expression of expressions.flatMap(together)) {
    const read = allOf(expression, variables);
    if (typeof read === 'string') return left(name, path, read);
    asked.push(...read);
  }
  return asked.length === 0 ? left(name, path, 'it has no expression') : askedOf(name, path, asked);
}

/** Reads `LIST.all(c, …)`, also where it says before that the list may not be there. */
function allOf(expression: string, variables: ReadonlyMap<string, string>): readonly Asked[] | string {
  const sides = split(expression, '||');
  const [guard = '', rest = ''] = sides;
  const all = ALL.exec(sides.length === 2 && GUARD.test(guard) ? rest : expression.trim());
  if (all === null) return UNKNOWN;
  const [, of = '', variable = '', inner = ''] = all;
  const named = /^variables\.(\w+)$/.exec(of.trim())?.[1];
  const list = named === undefined ? of.trim() : (variables.get(named) ?? '');
  if (!LISTS.test(list)) return UNKNOWN;
  const image = new RegExp(String.raw`(?<![\w.])${variable}\.image(?!\w)`, 'g');
  const asked = together(inner.replaceAll(image, 'image')).map((one) => askedBy(one, listsIn(list)));
  const why = asked.find((one) => typeof one === 'string');
  return why ?? asked.filter((one) => typeof one !== 'string');
}

function askedBy(text: string, lists: readonly string[]): Asked | string {
  const asked = text.replaceAll('"', "'");
  const said = (part: Part, ...narrower: string[]): Asked => ({
    parts: [{ part, lists }],
    narrower,
    wider: [],
  });
  if (asked === "image.contains(':')") return said({ denyLatestTag: true }, 'the tag latest is denied too');
  if (asked === "!image.endsWith(':latest')")
    return said({ denyLatestTag: true }, 'a reference without a tag is denied too');
  if (asked === "image.contains('@')" || asked === "image.contains('@sha256:')")
    return said({ digestEnforcement: 'require' });
  const prefixes = prefixesIn(asked);
  if (prefixes === null) return UNKNOWN;
  const list = toAllowList(prefixes.map((prefix) => `${prefix}*`));
  if (list.any) return 'it allows every image';
  if (list.entries.length === 0) return list.narrower.join('; ');
  return { ...said({ allowedRegistries: [...list.entries] }, ...list.narrower), wider: list.wider };
}

/** The texts one of which an image must begin with: as alternatives, or as a list. */
function prefixesIn(asked: string): string[] | null {
  const list = /^\[([^\]]*)\]\.exists\(\s*(\w+)\s*,\s*image\.startsWith\(\s*(\w+)\s*\)\s*\)$/.exec(asked);
  if (list !== null && list[2] !== list[3]) return null;
  const texts =
    list === null
      ? split(asked, '||').map((one) => /^image\.startsWith\(\s*('[^']+')\s*\)$/.exec(one)?.[1])
      : (list[1] ?? '').split(',').map((one) => one.trim());
  const read = texts.map((one) => /^'([^'\\]+)'$/.exec(one ?? '')?.[1]);
  return read.includes(undefined) ? null : (read as string[]);
}

/** What must hold together. `&&` binds more tightly than `||`, so what has both without brackets stays whole. */
function together(text: string): string[] {
  return split(text, '||').length > 1 ? [text.trim()] : split(text, '&&');
}

/** Splits at an operator that stands outside of brackets and texts. Brackets around the whole are taken off first. */
function split(text: string, operator: '&&' | '||'): string[] {
  const inner = unwrapped(text.trim());
  const found: string[] = [];
  let from = 0;
  for (const [at, depth] of depths(inner))
    if (depth === 0 && inner.startsWith(operator, at)) {
      found.push(inner.slice(from, at).trim());
      from = at + operator.length;
    }
  return [...found, unwrapped(inner.slice(from).trim())];
}

function unwrapped(text: string): string {
  if (!text.startsWith('(') || !text.endsWith(')')) return text;
  const closed = depths(text).find(([at, depth]) => at > 0 && depth === 0)?.[0];
  return closed === text.length - 1 || closed === undefined ? unwrapped(text.slice(1, -1).trim()) : text;
}

/** Each place of a text that stands outside of texts in it, with how deep in brackets the place after it is. */
function depths(text: string): (readonly [at: number, depth: number])[] {
  const found: (readonly [number, number])[] = [];
  let depth = 0;
  let quote = '';
  for (let at = 0; at < text.length; at += 1) {
    const one = text.charAt(at);
    if (quote !== '') {
      if (one === '\\') at += 1;
      else if (one === quote) quote = '';
      continue;
    }
    if (one === '"' || one === "'") quote = one;
    else if ('([{'.includes(one)) depth += 1;
    else if (')]}'.includes(one)) depth -= 1;
    found.push([at, depth]);
  }
  return found;
}
