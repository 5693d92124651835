/** Tree is a configuration as it was read, before it is checked. */
export type Tree = Record<string, unknown>;

/** put sets a value at a path such as `ledger.spool.maxRows`; objects on the way are made. */
export function put(tree: Tree, path: string, value: unknown): void {
  const { steps, last } = split(path);
  let at = tree;
  for (const step of steps) {
    const inner = Object.hasOwn(at, step) ? at[step] : undefined;
    // What is not an object is refused by the schema, unless the more specific source has its way here.
    at = (typeof inner === 'object' && inner !== null ? inner : (at[step] = {})) as Tree;
  }
  at[last] = value;
}

/** valueAt gives the value at a path, or undefined. */
export function valueAt(tree: Tree, path: string): unknown {
  const { steps, last } = split(path);
  return objectAt(tree, steps)?.[last];
}

/** take gives the value at a path, and takes it out. */
export function take(tree: Tree, path: string): unknown {
  const { steps, last } = split(path);
  const at = objectAt(tree, steps);
  const value = at?.[last];
  if (at !== null) delete at[last];
  return value;
}

function objectAt(tree: Tree, steps: readonly string[]): Tree | null {
  let at: unknown = tree;
  for (const step of steps) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, step)) return null;
    at = (at as Tree)[step];
  }
  return typeof at === 'object' && at !== null ? (at as Tree) : null;
}

function split(path: string): { readonly steps: readonly string[]; readonly last: string } {
  const steps = path.split('.');
  return { steps: steps.slice(0, -1), last: steps.at(-1) ?? '' };
}
