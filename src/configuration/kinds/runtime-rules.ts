import { isDeepStrictEqual } from 'node:util';
import { isIpoError, type FieldFault } from '../../base/index.ts';
import { readRule, type RuntimeRule, type RuntimeRules, type StoredRule } from '../../runtime/index.ts';
import { API_VERSION, bundledPath, sorted, specOf } from '../bundle.ts';
import { planEach } from '../each.ts';
import type { Actor, Json, Kind, Planned } from '../kind.ts';

const KIND = 'RuntimeRule';

/** runtimeRuleKind brings runtime rules into a configuration. Their order is that of the documents, since the first that matches decides. */
export function runtimeRuleKind(rules: Pick<RuntimeRules, 'list' | 'replace'>): Kind {
  return {
    kind: KIND,
    place: 'database',
    async list() {
      const { items } = await rules.list();
      return {
        documents: items.map(({ rule }) => toBundled(rule)),
        left: items.flatMap(({ rule, fault }) =>
          fault === null ? [] : [`${KIND} ${rule.name} cannot be read and is disabled: ${fault}`],
        ),
      };
    },
    async plan(bundled, prune) {
      const { items, version } = await rules.list();
      const wanted: RuntimeRule[] = [];
      const planned = await planEach(
        bundled,
        ({ name, document }) => {
          const rule = readRule({ ...specOf(document, ['name']), name });
          wanted.push(rule);
          return planOne(rule, items);
        },
        faultsOf,
      );
      if ('faults' in planned) return planned;
      const target = inOrder(items, wanted, prune);
      const gone = items.filter(({ rule }) => prune && !wanted.some(({ name }) => name === rule.name));
      const write = once((actor: Actor) => rules.replace(target, [version], actor));
      return [
        ...planned.map((one) => moved(one, items, target)),
        ...gone.map(({ rule }): Planned => ({
          name: rule.name,
          change: 'delete',
          before: toBundled(rule),
          after: null,
          notes: [],
        })),
      ].map((one) => (one.change === 'unchanged' ? one : { ...one, apply: applying(one, write) }));
    },
  };
}

function planOne(rule: RuntimeRule, items: readonly StoredRule[]): Planned {
  const before = items.find((one) => one.rule.name === rule.name);
  const same = before !== undefined && before.fault === null && isDeepStrictEqual(before.rule, rule);
  const kept = same ? 'unchanged' : 'update';
  return {
    name: rule.name,
    change: before === undefined ? 'create' : kept,
    before: before === undefined ? null : toBundled(before.rule),
    after: toBundled(rule),
    notes: [],
  };
}

/**
 * inOrder gives the list as it is to be: the rules of the bundle in its order, and each other one behind the rule of the bundle that it
 * stands behind now. So a second import finds the same order.
 */
function inOrder(
  items: readonly StoredRule[],
  wanted: readonly RuntimeRule[],
  prune: boolean,
): readonly RuntimeRule[] {
  if (prune) return wanted;
  const behind = new Map<string | null, RuntimeRule[]>();
  let last: string | null = null;
  for (const { rule } of items) {
    if (wanted.some(({ name }) => name === rule.name)) last = rule.name;
    else behind.set(last, [...(behind.get(last) ?? []), rule]);
  }
  return [...(behind.get(null) ?? []), ...wanted.flatMap((rule) => [rule, ...(behind.get(rule.name) ?? [])])];
}

/** A rule that comes to stand at another place among those that stay is changed too. */
function moved(planned: Planned, items: readonly StoredRule[], target: readonly RuntimeRule[]): Planned {
  const names = items.map(({ rule }) => rule.name);
  const after = target.map(({ name }) => name);
  const placeIn = (list: readonly string[], other: readonly string[]): number =>
    list.filter((name) => other.includes(name)).indexOf(planned.name) + 1;
  const [from, to] = [placeIn(names, after), placeIn(after, names)];
  if (planned.change === 'create' || from === to) return planned;
  return { ...planned, change: 'update', notes: [...planned.notes, `it moves from place ${from} to ${to}`] };
}

function applying(
  { name, change }: Planned,
  write: (actor: Actor) => Promise<unknown>,
): NonNullable<Planned['apply']> {
  const action = `runtime_rule_${change === 'unchanged' ? 'update' : change}` as const;
  return async (_by, actor) => {
    await write(actor);
    return { action, target: name, detail: {} };
  };
}

/** The whole list is written with the first of its changes. */
function once(act: (actor: Actor) => Promise<unknown>): (actor: Actor) => Promise<unknown> {
  let written: Promise<unknown> | null = null;
  return (actor) => (written ??= act(actor));
}

function toBundled({ name, ...spec }: RuntimeRule): Json {
  return sorted({ apiVersion: API_VERSION, kind: KIND, metadata: { name }, spec });
}

function faultsOf(error: unknown): readonly FieldFault[] | null {
  if (!isIpoError(error) || error.code !== 'invalid_request' || error.fields === undefined) return null;
  return error.fields.map(({ path, message }) => ({
    path: bundledPath(path),
    message,
  }));
}
