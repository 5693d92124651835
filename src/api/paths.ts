import type { RouteKey } from '../accounts/index.ts';

/** BASE_PATH stands before every path of the service's routes. */
export const BASE_PATH = '/api/v1';

/** splitKey gives a route's method and its path with `{name}` for what varies, both as they stand in its key. */
export function splitKey(key: RouteKey): { readonly method: string; readonly path: string } {
  const space = key.indexOf(' ');
  return { method: key.slice(0, space), path: key.slice(space + 1) };
}

/** toPattern is a route's path as the router reads it: `/policies/:name`. */
export function toPattern(path: string): string {
  return `${BASE_PATH}${path.replaceAll(/\{([a-z_]+)\}/gi, ':$1')}`;
}

/** Paths tells which methods a path answers to, so that a wrong method is told from a path that is not there. */
export class Paths {
  readonly #known: { readonly steps: readonly string[]; readonly methods: string[] }[] = [];

  add(pattern: string, methods: readonly string[]): void {
    const steps = pattern.split('/');
    const same = this.#known.find(({ steps: other }) => other.join('/') === steps.join('/'));
    if (same === undefined) this.#known.push({ steps, methods: [...methods] });
    else same.methods.push(...methods);
  }

  /** The methods of the pattern that the path meets first, fixed steps before open ones; empty when none does. */
  methodsOf(path: string): readonly string[] {
    const given = path.split('/');
    const met = this.#known.filter(
      ({ steps }) =>
        steps.length === given.length &&
        steps.every((step, at) => (step.startsWith(':') ? given[at] !== '' : step === given[at])),
    );
    return [...new Set(met.flatMap(({ methods }) => methods))].toSorted();
  }
}
