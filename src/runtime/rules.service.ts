import { hash } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { formatDuration, IpoError, nearest, parseDuration, type Clock } from '../base/index.ts';
import { withoutNulls, type Expected } from '../policy/index.ts';
import { pathText, sentences } from './document.ts';
import type { RuleEntry, RuleWriter, RuntimeRuleStore, StoredRule } from './ports.ts';
import { MAX_RULES, runtimeRule, type RuntimeRule } from './schema.ts';

/** RulePlace is where a rule comes to stand: beside another, or at a place from 1 on. */
export type RulePlace = { readonly before: string } | { readonly after: string } | { readonly place: number };

/** RuleList is the list with its version, which changes with every rule and with their order. */
export interface RuleList {
  readonly items: readonly StoredRule[];
  readonly version: string;
}

/** WrittenRule is the outcome of a write. */
export interface WrittenRule {
  readonly stored: StoredRule;
  /** From 1. */
  readonly place: number;
  /** False when it stood so already: nothing was written. */
  readonly changed: boolean;
}

/** RuleAuthor is the account that writes; null for nobody. */
export type RuleAuthor = Omit<RuleWriter, 'at'>;

/** RuntimeRules are the rules over events. What is refused throws IpoError, with every fault of a document under `fields`. */
export interface RuntimeRules {
  list(): Promise<RuleList>;
  /** Throws `not_found`. */
  get(name: string): Promise<WrittenRule>;
  /** Adds a rule, behind all others unless a place is given. Throws `conflict` when the name is taken, or there are too many. */
  add(value: unknown, where: RulePlace | null, by: RuleAuthor): Promise<WrittenRule>;
  /** A document of another name renames it. Throws `not_found`, `conflict`, `precondition_failed`. */
  update(name: string, value: unknown, expected: Expected, by: RuleAuthor): Promise<WrittenRule>;
  /** Throws `not_found`, `precondition_failed`. */
  move(name: string, where: RulePlace, expected: Expected, by: RuleAuthor): Promise<WrittenRule>;
  /** Gives what was deleted. Throws `not_found`, `precondition_failed`. */
  remove(name: string, expected: Expected, by: RuleAuthor): Promise<StoredRule>;
  /** Puts a whole list in the place of the one that stands; `expected` are versions of the list. Throws `precondition_failed`. */
  replace(values: readonly unknown[], expected: Expected, by: RuleAuthor): Promise<ReplacedRules>;
}

/** ReplacedRules says what a new list changed, by name. */
export interface ReplacedRules extends RuleList {
  readonly added: readonly string[];
  readonly updated: readonly string[];
  readonly deleted: readonly string[];
  /** Whether rules that stand in both lists stand in another order. */
  readonly reordered: boolean;
}

/** openRuntimeRules joins the rules to where they are kept. */
export function openRuntimeRules(store: RuntimeRuleStore, clock: Clock): RuntimeRules {
  const change = (
    by: RuleAuthor,
    next: (standing: readonly StoredRule[]) => readonly RuleEntry[],
  ): Promise<readonly StoredRule[]> => store.change({ ...by, at: clock.now() }, next);
  return {
    list: async () => toList(await store.list()),
    get: async (name) => found(await store.list(), name, false),
    async add(value, where, by) {
      const rule = readRule(value);
      const items = await change(by, (standing) => {
        refuseTaken(standing, rule.name);
        if (standing.length >= MAX_RULES)
          throw new IpoError('conflict', `there are ${MAX_RULES} rules already, which is the most`, {
            hint: 'Delete one that is no longer needed',
          });
        return placed(standing, { id: null, rule }, where);
      });
      return found(items, rule.name, true);
    },
    async update(name, value, expected, by) {
      const rule = readRule(value);
      let changed = false;
      const items = await change(by, (standing) => {
        const { stored } = held(standing, name, expected);
        if (rule.name !== name) refuseTaken(standing, rule.name);
        changed = stored.fault !== null || !isDeepStrictEqual(stored.rule, rule);
        return standing.map((one) => (one === stored && changed ? { id: one.id, rule } : one));
      });
      return found(items, rule.name, changed);
    },
    async move(name, where, expected, by) {
      let before = 0;
      const items = await change(by, (standing) => {
        const { stored, place } = held(standing, name, expected);
        before = place;
        return placed(
          standing.filter((one) => one !== stored),
          stored,
          where,
        );
      });
      const moved = found(items, name, true);
      return { ...moved, changed: moved.place !== before };
    },
    async remove(name, expected, by) {
      let gone: StoredRule | null = null;
      await change(by, (standing) => {
        const { stored } = held(standing, name, expected);
        gone = stored;
        return standing.filter((one) => one !== stored);
      });
      return gone as unknown as StoredRule;
    },
    async replace(values, expected, by) {
      const rules = readRules(values);
      let before: readonly StoredRule[] = [];
      const items = await change(by, (standing) => {
        before = standing;
        if (expected !== 'any' && !expected.includes(toList(standing).version))
          throw new IpoError('precondition_failed', 'the rules have been changed since they were read', {
            hint: 'Read them again, look at what changed, and send the new ETag as If-Match',
          });
        return rules.map((rule) => {
          const same = standing.find((one) => one.rule.name === rule.name);
          if (same === undefined) return { id: null, rule };
          return same.fault === null && isDeepStrictEqual(same.rule, rule) ? same : { id: same.id, rule };
        });
      });
      return { ...toList(items), ...difference(before, items) };
    },
  };
}

/** readRule reads a rule of a body strictly; throws IpoError `invalid_request`. */
export function readRule(value: unknown): RuntimeRule {
  const written = withoutNulls(value);
  const read = runtimeRule.safeParse(written);
  if (read.success) return normalRule(read.data);
  throw refusal(sentences(read.error, written));
}

function readRules(values: readonly unknown[]): readonly RuntimeRule[] {
  const rules: RuntimeRule[] = [];
  const seen = new Set<string>();
  for (const [at, value] of values.entries()) {
    const written = withoutNulls(value);
    const read = runtimeRule.safeParse(written);
    if (!read.success)
      throw refusal(
        sentences(read.error, written).map((one) => ({ ...one, path: ['rules', at, ...one.path] })),
      );
    if (seen.has(read.data.name))
      throw refusal([
        { path: ['rules', at, 'name'], message: `the rule "${read.data.name}" is there twice` },
      ]);
    seen.add(read.data.name);
    rules.push(normalRule(read.data));
  }
  return rules;
}

/** normalRule writes durations in one way, and leaves out a window of one event, so that what means the same is the same. */
export function normalRule({ window, throttle, ...rule }: RuntimeRule): RuntimeRule {
  const written = (text: string): string => formatDuration(parseDuration(text) ?? 0);
  return {
    ...rule,
    ...(window !== undefined &&
      window.count > 1 && { window: { count: window.count, duration: written(window.duration) } }),
    ...(throttle !== undefined && { throttle: written(throttle) }),
  };
}

function refusal(faults: ReturnType<typeof sentences>): IpoError {
  const fields = faults.slice(0, 100).map(({ path, message }) => ({ path: pathText(path), message }));
  return new IpoError('invalid_request', fields[0]?.message ?? 'the rule is not valid', { fields });
}

function toList(items: readonly StoredRule[]): RuleList {
  return {
    items,
    version: hash('sha256', items.map(({ version }) => version).join('\n'), 'hex').slice(0, 32),
  };
}

function found(items: readonly StoredRule[], name: string, changed: boolean): WrittenRule {
  const at = items.findIndex(({ rule }) => rule.name === name);
  const stored = items[at];
  if (stored === undefined) throw missing(items, name);
  return { stored, place: at + 1, changed };
}

function held(standing: readonly StoredRule[], name: string, expected: Expected): WrittenRule {
  const one = found(standing, name, false);
  if (expected === 'any' || expected.includes(one.stored.version)) return one;
  throw new IpoError('precondition_failed', `the runtime rule ${name} has been changed since it was read`, {
    hint: 'Read it again, look at what changed, and send its new ETag as If-Match',
  });
}

function missing(items: readonly StoredRule[], name: string): IpoError {
  const close = nearest(
    name,
    items.map(({ rule }) => rule.name),
  );
  const meant = close === null ? '' : `; did you mean ${close}?`;
  return new IpoError('not_found', `no runtime rule has the name ${name}${meant}`, {
    hint: 'GET /api/v1/runtime/rules lists all rules',
  });
}

function refuseTaken(standing: readonly StoredRule[], name: string): void {
  if (!standing.some(({ rule }) => rule.name === name)) return;
  throw new IpoError('conflict', `a runtime rule named ${name} already exists`, {
    hint: `Change it with ipo runtime rule edit ${name}, or choose another name`,
  });
}

function placed(
  others: readonly StoredRule[],
  entry: RuleEntry,
  where: RulePlace | null,
): readonly RuleEntry[] {
  return others.toSpliced(indexOf(others, where), 0, entry as StoredRule);
}

function indexOf(others: readonly StoredRule[], where: RulePlace | null): number {
  if (where === null) return others.length;
  if ('place' in where) return Math.min(where.place - 1, others.length);
  const beside = 'before' in where ? where.before : where.after;
  const { place } = found(others, beside, false);
  return 'before' in where ? place - 1 : place;
}

function difference(
  before: readonly StoredRule[],
  after: readonly StoredRule[],
): Omit<ReplacedRules, keyof RuleList> {
  const old = new Map(before.map((one) => [one.rule.name, one]));
  const kept = after.filter(({ rule }) => old.has(rule.name));
  const names = new Set(after.map(({ rule }) => rule.name));
  const deleted = before.filter(({ rule }) => !names.has(rule.name));
  return {
    added: after.filter(({ rule }) => !old.has(rule.name)).map(({ rule }) => rule.name),
    updated: kept
      .filter(({ rule, version }) => old.get(rule.name)?.version !== version)
      .map(({ rule }) => rule.name),
    deleted: deleted.map(({ rule }) => rule.name),
    reordered: !isDeepStrictEqual(
      kept.map(({ id }) => id),
      before.filter((one) => !deleted.includes(one)).map(({ id }) => id),
    ),
  };
}
