import type { UpgradePlan } from './plan.ts';

/** ValueFinding is a chart value of somebody's file that the plan has something to say of. */
export interface ValueFinding {
  readonly name: string;
  readonly release: string;
  /** What is to be done with it: `remove` is not read any more, `clear` stands in the way, `repeat` lacks what a list replaces. */
  readonly act: 'remove' | 'clear' | 'repeat';
  readonly note: string;
}

/** What a list of the detector's chart must go on naming. */
const DEFAULT_RULES = '/etc/falco/falco_rules.yaml';

/** judgeValues tells which values of a file, as it was parsed, need a change on the way. What is empty counts as not set. */
export function judgeValues({ values }: UpgradePlan, file: unknown): readonly ValueFinding[] {
  const set = (name: string): boolean => isSet(valueAt(file, name));
  return [
    ...values.unread.filter(({ name }) => set(name)).map((note) => ({ ...note, act: 'remove' as const })),
    ...values.cleared.filter(({ name }) => set(name)).map((note) => ({ ...note, act: 'clear' as const })),
    ...values.repeated
      .filter(({ name }) => {
        const list = valueAt(file, name);
        return isSet(list) && !(Array.isArray(list) && list.includes(DEFAULT_RULES));
      })
      .map((note) => ({ ...note, act: 'repeat' as const })),
  ];
}

function valueAt(value: unknown, path: string): unknown {
  let at = value;
  for (const key of path.split('.')) {
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, key)) return undefined;
    at = (at as Readonly<Record<string, unknown>>)[key];
  }
  return at;
}

function isSet(value: unknown): boolean {
  return value !== undefined && value !== null && value !== '';
}
