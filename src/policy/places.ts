import {
  isCollection,
  isMap,
  isNode,
  isScalar,
  type Document,
  type LineCounter,
  type Pair,
  type YAMLMap,
} from 'yaml';

/** Places finds where in a file a path of the document stands. */
export interface Places {
  readonly file: string;
  /** As the YAML parser has it; null where the text was in the common form, and for a value that came without a text. */
  readonly document: Document.Parsed | null;
  of(path: readonly PropertyKey[]): Place;
}

/** Place is a line and a column, both from 1. */
export interface Place {
  readonly line: number;
  readonly column: number;
}

/** Part says where a value stands, and what is in it. */
export interface Part extends Place {
  readonly fields?: ReadonlyMap<string, { readonly name: Place; readonly part: Part }>;
  readonly items?: readonly Part[];
}

/**
 * placeOf gives line and column (from 1) of a path of the document; the nearest parent that is written where the
 * path itself is not. For a field it is the place of its name.
 */
export function placeOf(places: Places, path: readonly PropertyKey[]): Place {
  return places.of(path);
}

/** NOWHERE are the places of a value that came without a text. */
export const NOWHERE: Place = { line: 1, column: 1 };

/** placesIn gives the places of a document of the YAML parser. */
export function placesIn(file: string, document: Document.Parsed, lines: LineCounter): Places {
  return { file, document, of: (path) => findIn(document, lines, path) };
}

/** placesBelow gives the places of a document in the common form. */
export function placesBelow(file: string, root: Part): Places {
  return { file, document: null, of: (path) => findBelow(root, path) };
}

function findBelow(root: Part, path: readonly PropertyKey[]): Place {
  let place: Place = root;
  let part = root;
  for (const step of path) {
    const field = part.fields?.get(String(step));
    const inner = field?.part ?? part.items?.[Number(step)];
    if (inner === undefined) break;
    place = field?.name ?? inner;
    part = inner;
  }
  return { line: place.line, column: place.column };
}

function findIn(document: Document.Parsed, lines: LineCounter, path: readonly PropertyKey[]): Place {
  let node: unknown = document.contents;
  let offset = isNode(node) ? (node.range?.[0] ?? 0) : 0;
  for (const step of path) {
    if (isMap(node)) {
      const pair = pairsOf(node).get(String(step));
      if (pair === undefined) break;
      offset = (isNode(pair.key) ? pair.key.range?.[0] : undefined) ?? offset;
      node = pair.value;
    } else if (isCollection(node)) {
      const item: unknown = node.items[Number(step)];
      if (!isNode(item)) break;
      offset = item.range?.[0] ?? offset;
      node = item;
    } else break;
  }
  return toPlace(lines, offset);
}

/** toPlace gives line and column of an offset into the text. */
export function toPlace(lines: LineCounter, offset: number): Place {
  const { line, col } = lines.linePos(Math.max(0, offset));
  return { line: line || 1, column: col || 1 };
}

const indexed = new WeakMap<YAMLMap, ReadonlyMap<string, Pair>>();

/** The pairs of a map by name, the first of each; remembered, since a hostile map has tens of thousands. */
function pairsOf(map: YAMLMap): ReadonlyMap<string, Pair> {
  let pairs = indexed.get(map);
  if (pairs === undefined) {
    const found = new Map<string, Pair>();
    for (const pair of map.items) {
      const name = isScalar(pair.key) ? String(pair.key.value) : '';
      if (!found.has(name)) found.set(name, pair);
    }
    indexed.set(map, (pairs = found));
  }
  return pairs;
}
