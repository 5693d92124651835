import { canonicalJson, formatTime } from '../base/index.ts';
import type { PolicySpec } from '../policy/index.ts';
import { FIELDS, seenIn, type Seen } from './fields.ts';
import { ALLOW_ALL, verdictsOf, type Population, type Verdict } from './population.ts';
import { imageKey } from './population.service.ts';

/** Counts are what a change does, in admissions, workloads and images. */
export interface Counts {
  readonly rows: number;
  readonly workloads: number;
  readonly images: number;
}

/** MatrixLine is one field with one value, by itself. */
export interface MatrixLine {
  readonly field: string;
  readonly value: string;
  /** Whether the base has this value. */
  readonly current: boolean;
  readonly would_deny: Counts;
  readonly would_allow: Counts;
  /** Admissions that the base decides, and that cannot be decided under this value for want of a fact. */
  readonly undecided: Counts;
}

/** Matrix is each field with each value that it could take. What costs nothing stands first. */
export interface Matrix {
  readonly items: readonly MatrixLine[];
  readonly total: number;
  readonly as_of: string;
  readonly days: number;
  readonly rows: number;
  readonly workloads: number;
  readonly images: number;
  /** Name of the base, or null where each field is tried on a policy that denies nothing. */
  readonly base: string | null;
  readonly notes: readonly string[];
}

/** matrixOf tries each value of each field by itself, on the base. */
export function matrixOf(population: Population, base: { name: string; spec: PolicySpec } | null): Matrix {
  const spec = base?.spec ?? ALLOW_ALL;
  const seen = seenIn(population.groups, spec);
  const before = verdictsOf(population, spec);
  const items = linesOf(population, spec, before, seen);
  const { asOf, days, rows, workloads, images, notes } = population;
  return {
    items: items.toSorted(byCost),
    total: items.length,
    as_of: formatTime(asOf),
    days,
    rows,
    workloads,
    images,
    base: base?.name ?? null,
    notes,
  };
}

function linesOf(
  population: Population,
  spec: PolicySpec,
  before: readonly Verdict[],
  seen: Seen,
): MatrixLine[] {
  return FIELDS.flatMap(({ path, values }) =>
    values(spec, seen).map((value): MatrixLine => {
      const isSame = canonicalJson(value.spec) === canonicalJson(spec);
      const after = isSame ? before : verdictsOf(population, value.spec);
      return { field: path, value: value.name, current: isSame, ...differenceOf(population, before, after) };
    }),
  );
}

/** differenceOf counts what turns from one set of verdicts to another. Only what was recorded as allowed can newly be denied. */
function differenceOf(
  { groups }: Population,
  before: readonly Verdict[],
  after: readonly Verdict[],
): Pick<MatrixLine, 'would_deny' | 'would_allow' | 'undecided'> {
  const turned = (test: (i: number) => boolean): Counts => {
    const chosen = groups.filter((_, i) => test(i));
    return {
      rows: chosen.reduce((sum, { rows }) => sum + rows, 0),
      workloads: new Set(
        chosen.flatMap(({ namespace, workloads }) => [...workloads].map((one) => `${namespace}/${one}`)),
      ).size,
      images: new Set(chosen.map(imageKey)).size,
    };
  };
  return {
    would_deny: turned((i) => groups[i]?.allowed === true && before[i] === 'allow' && after[i] === 'deny'),
    would_allow: turned((i) => before[i] === 'deny' && after[i] === 'allow'),
    undecided: turned(
      (i) => groups[i]?.allowed === true && before[i] !== 'unknown' && after[i] === 'unknown',
    ),
  };
}

/** What could be turned on for nothing first, then by what it would deny; the fields' own order else. */
function byCost(a: MatrixLine, b: MatrixLine): number {
  const cost = ({ would_deny, undecided }: MatrixLine): number => would_deny.rows + undecided.rows;
  return Number(a.current) - Number(b.current) || cost(a) - cost(b);
}
