import { isAlias, isCollection, isMap, isNode, isPair, isScalar, type LineCounter, type YAMLMap } from 'yaml';
import { printable } from '../base/index.ts';
import type { Path } from './paths.ts';
import { toPlace } from './places.ts';

/** Forbidden is something that YAML allows and a policy does not, with the offset at which it stands. */
export interface Forbidden {
  readonly rule: 'alias' | 'duplicate-field' | 'merge-key';
  readonly offset: number;
  /** Of the field that is written twice; of the other two, where they stand does not matter. */
  readonly path: Path;
  readonly message: string;
  readonly hint: string;
}

/** findForbidden walks a document, without recursion, and gives every alias, repeated field and merge key of it. */
export function findForbidden(root: unknown, lines: LineCounter): Forbidden[] {
  const found: Forbidden[] = [];
  const open: Open[] = [{ node: root, path: [] }];
  for (let next = open.pop(); next !== undefined; next = open.pop()) {
    const { node, path } = next;
    if (isAlias(node)) {
      found.push({
        path,
        rule: 'alias',
        offset: node.range?.[0] ?? 0,
        message: `an alias (*${printable(node.source, 40)}) stands here; aliases are not allowed`,
        hint: 'Write the value out',
      });
    } else if (isPair(node)) {
      const name = isScalar(node.key) ? String(node.key.value) : '';
      open.push({ node: node.value, path: [...path, name] }, { node: node.key, path });
    } else if (isMap(node)) {
      checkKeys(node, path, lines, found);
      for (const pair of node.items) open.push({ node: pair, path });
    } else if (isCollection(node))
      for (const [i, item] of node.items.entries()) open.push({ node: item, path: [...path, i] });
  }
  return found.toSorted((a, b) => a.offset - b.offset);
}

/** A part of a document that is still to be looked at. */
interface Open {
  readonly node: unknown;
  readonly path: Path;
}

function checkKeys(map: YAMLMap, path: Path, lines: LineCounter, found: Forbidden[]): void {
  const seen = new Map<string, number>();
  for (const { key } of map.items) {
    if (!isScalar(key)) continue;
    const name = String(key.value);
    const offset = isNode(key) ? (key.range?.[0] ?? 0) : 0;
    const first = seen.get(name);
    if (first !== undefined) {
      found.push({
        path: [...path, name],
        rule: 'duplicate-field',
        offset,
        message: `the field "${printable(name, 60)}" is written twice; the first stands on line ${toPlace(lines, first).line}`,
        hint: 'Keep one of the two',
      });
    } else seen.set(name, offset);
    // Quoted, it is a name like any other.
    if (name === '<<' && key.type === 'PLAIN') {
      found.push({
        path,
        rule: 'merge-key',
        offset,
        message: 'a merge key (<<) stands here; merge keys are not allowed',
        hint: 'Write the fields out',
      });
    }
  }
}
