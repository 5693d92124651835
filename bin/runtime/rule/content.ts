import { UsageError } from '../../terminal/usage.ts';

/** RuleContentFlags say what a rule is: its match, window, action and throttle. */
export interface RuleContentFlags {
  readonly action?: string;
  readonly detectorRules?: string;
  readonly tags?: string;
  readonly priority?: string;
  readonly sources?: string;
  readonly namespaces?: string;
  readonly field?: readonly string[];
  readonly lastVerdict?: string;
  readonly signed?: string;
  readonly window?: string;
  readonly throttle?: string;
  readonly enable?: true;
  readonly disable?: true;
}

/** RuleDocument is a rule as it is written; the service checks it. */
export interface RuleDocument {
  readonly name: string;
  readonly action: string;
  readonly enabled?: boolean;
  readonly match?: Readonly<Record<string, unknown>>;
  readonly window?: unknown;
  readonly throttle?: string;
}

/** toContent puts what flags say into a rule; an empty value takes a part out of it. Throws UsageError. */
export function toContent(before: RuleDocument, flags: RuleContentFlags): RuleDocument {
  const { match = {}, window, throttle, ...rest } = before;
  const given: Readonly<Record<string, unknown>> = {
    rules: listOf(flags.detectorRules),
    tags: listOf(flags.tags),
    priority: textOf(flags.priority),
    sources: listOf(flags.sources),
    namespaces: listOf(flags.namespaces),
    fields: fieldsOf(flags.field),
    lastVerdict: textOf(flags.lastVerdict?.toLowerCase()),
    signed: signedOf(flags.signed),
  };
  const kept = { ...match, ...withoutAbsent(given) };
  const next = { window: windowOf(flags.window), throttle: textOf(flags.throttle) };
  const standing = { window, throttle };
  return {
    ...rest,
    ...(flags.action !== undefined && { action: flags.action.toLowerCase() }),
    ...(flags.enable === true && { enabled: true }),
    ...(flags.disable === true && { enabled: false }),
    match: withoutEmpty(kept),
    ...withoutEmpty({ ...standing, ...withoutAbsent(next) }),
  };
}

function withoutAbsent(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

function withoutEmpty(given: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return Object.fromEntries(
    Object.entries(given).filter(([, value]) => value !== null && value !== undefined),
  );
}

/** Undefined for a flag that is not given, null for an empty one. */
function textOf(text: string | undefined): string | null | undefined {
  return text === '' ? null : text;
}

function listOf(text: string | undefined): readonly string[] | null | undefined {
  if (text === undefined) return undefined;
  const entries = text
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
  return entries.length === 0 ? null : entries;
}

function signedOf(text: string | undefined): boolean | null | undefined {
  if (text === undefined || text === '') return textOf(text) as null | undefined;
  const word = text.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  throw new UsageError(`--signed ${text}: give true or false`);
}

function windowOf(text: string | undefined): unknown {
  if (text === undefined || text === '') return textOf(text);
  const [, count, duration] = /^(\d{1,6})\/(.+)$/.exec(text) ?? [];
  if (count === undefined || duration === undefined)
    throw new UsageError(`--window ${text}: give a count and a duration`, 'Such as --window 3/10m');
  return { count: Number(count), duration };
}

/** The first `=` or `~` ends the name. */
function fieldsOf(tests: readonly string[] | undefined): unknown {
  if (tests === undefined) return undefined;
  const given = tests.filter((one) => one !== '');
  if (given.length === 0) return null;
  return given.map((one) => {
    const [, name, sign, value = ''] = /^([^=~]+)([=~])(.*)$/s.exec(one) ?? [];
    if (name === undefined)
      throw new UsageError(
        `--field ${one}: give name=value or name~pattern`,
        'Such as --field proc.name=restic',
      );
    if (sign === '~') return { name, matches: value };
    const values = value.split('|');
    return values.length > 1 ? { name, in: values } : { name, equals: value };
  });
}
