import { sql } from 'kysely';
import type { FoundAt } from '../../findings/index.ts';
import type { CountedFinding } from './cve-totals.ts';
import { insertMany, type Cell } from '../sql/dialect.ts';
import { storableText } from '../sql/storable.ts';
import { readCells, run, type Executor, type Row } from '../sql/run.ts';

/** StoredFinding is a finding as it is kept. */
export interface StoredFinding extends CountedFinding {
  readonly severity: string;
  readonly installed: string;
  readonly purl: string | null;
  readonly platforms: string | null;
  /** Whose rating its advisory has; null for no advisory. */
  readonly rated_by: string | null;
  readonly foundAt: FoundAt | null;
}

const FINDING = {
  scan_id: 'integer',
  ordinal: 'integer',
  cve: 'text',
  severity: 'text',
  rank: 'integer',
  package: 'text',
  installed: 'text',
  fixed: 'text',
  known_exploited: 'integer',
  purl: 'text',
  platforms: 'text',
  rated_by: 'text',
  place: 'integer',
} as const;

/**
 * insertFindings writes the findings of a scan, in their order. Where packages were found is kept once for each place with the scan: an
 * image has few layers and targets, and many findings in each.
 */
export async function insertFindings(
  transaction: Executor,
  scan: number,
  found: readonly StoredFinding[],
): Promise<void> {
  const places = new Places();
  await insertMany(
    transaction,
    'findings',
    FINDING,
    found.map((finding, i) => cellsOf(scan, i, finding, places.numberOf(finding.foundAt))),
  );
  await keepPlaces(transaction, scan, places);
}

/** insertSome writes some of the findings of a scan, from one of them on; keepPlaces is to be called with the last. */
export async function insertSome(
  transaction: Executor,
  scan: number,
  some: readonly StoredFinding[],
  from: number,
  places: Places,
): Promise<void> {
  const rows = some.map((finding, i) => cellsOf(scan, from + i, finding, places.numberOf(finding.foundAt)));
  await insertMany(transaction, 'findings', FINDING, rows);
}

/** keepPlaces keeps where the findings of a scan were found. */
export async function keepPlaces(transaction: Executor, scan: number, places: Places): Promise<void> {
  await run(transaction, sql`update scans set places = ${places.text} where id = ${scan}`);
}

/** Places numbers where the findings of a scan were found. */
export class Places {
  readonly #numbers = new Map<string, number>();
  /** Findings of one place mostly have it as the same object. */
  readonly #known = new Map<FoundAt, number>();

  numberOf(at: FoundAt | null): number | null {
    if (at === null) return null;
    const known = this.#known.get(at);
    if (known !== undefined) return known;
    const key = JSON.stringify(
      [at.target, at.path, at.layer].map((text) => (text === null ? null : storableText(text))),
    );
    const number = this.#numbers.get(key) ?? this.#numbers.size;
    this.#numbers.set(key, number);
    this.#known.set(at, number);
    return number;
  }

  /** Null where there is none. */
  get text(): string | null {
    return this.#numbers.size === 0 ? null : `[${[...this.#numbers.keys()].join(',')}]`;
  }
}

/** areSame tells whether findings are kept alike, in the same order. */
export function areSame(some: readonly StoredFinding[], others: readonly StoredFinding[]): boolean {
  return some.length === others.length && some.every((one, i) => isSame(one, others[i]));
}

const KEPT = Object.keys(FINDING).filter(
  (name) => name !== 'scan_id' && name !== 'ordinal' && name !== 'place',
) as Exclude<keyof StoredFinding, 'foundAt'>[];

function isSame(a: StoredFinding, b: StoredFinding | undefined): boolean {
  if (b === undefined || !KEPT.every((name) => a[name] === b[name])) return false;
  const { foundAt: at } = a;
  const { foundAt: before } = b;
  if (at === null || before === null) return at === before;
  return at.target === before.target && at.path === before.path && at.layer === before.layer;
}

function cellsOf(scan: number, ordinal: number, finding: StoredFinding, place: number | null): Cell[] {
  const { cve, severity, rank, package: name, installed, fixed, known_exploited, purl, platforms } = finding;
  const { rated_by: ratedBy } = finding;
  return [
    scan,
    ordinal,
    cve,
    severity,
    rank,
    name,
    installed,
    fixed,
    known_exploited,
    purl,
    platforms,
    ratedBy,
    place,
  ];
}

/** placesOf reads the places of a scan, in their order. */
export function placesOf(text: string | null): readonly FoundAt[] {
  if (text === null) return [];
  return (JSON.parse(text) as [string | null, string | null, string | null][]).map(
    ([target, path, layer]) => ({ target, path, layer }),
  );
}

/**
 * storedFindings gives the findings of a scan with all that is kept of them. Those of the current scan of a digest are its findings over
 * all of its platforms.
 */
export async function storedFindings(transaction: Executor, scan: number): Promise<StoredFinding[]> {
  const [kept] = await run(
    transaction,
    sql<Row<'scans', 'places'>>`select places from scans where id = ${scan}`,
  );
  const places = placesOf(kept?.places ?? null);
  const rows = await readCells(
    transaction,
    sql`select cve, severity, rank, package, installed, fixed, known_exploited, purl, platforms, rated_by, place
     from findings where scan_id = ${scan} order by ordinal`,
  );
  return rows.map((row) => toFinding(row as StoredCells, places));
}

type StoredCells = readonly [
  cve: string,
  severity: string,
  rank: number,
  name: string,
  installed: string,
  fixed: string | null,
  exploited: number | null,
  purl: string | null,
  platforms: string | null,
  ratedBy: string | null,
  place: number | null,
];

function toFinding(cells: StoredCells, places: readonly FoundAt[]): StoredFinding {
  const [cve, severity, rank, name, installed, fixed, exploited, purl, platforms, ratedBy, place] = cells;
  return {
    cve,
    severity,
    rank,
    package: name,
    installed,
    fixed,
    known_exploited: exploited,
    purl,
    platforms,
    rated_by: ratedBy,
    foundAt: place === null ? null : (places[place] ?? null),
  };
}

/** countedFindings gives the findings of a scan as the totals count them, in their order. */
export async function countedFindings(transaction: Executor, scan: number): Promise<CountedFinding[]> {
  return run(
    transaction,
    sql<CountedFinding>`select cve, rank, package, fixed, known_exploited from findings where scan_id = ${scan} order by ordinal`,
  );
}
