import type { FoundAt } from '../findings/index.ts';
import type { CountedFinding } from './cve-totals.ts';
import { insertMany, runText, type Cell } from './dialect.ts';
import { storableText } from './storable.ts';

type Executor = Parameters<typeof runText>[0];

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
  const places = new Map<string, number>();
  await insertMany(
    transaction,
    'findings',
    FINDING,
    found.map((finding, i) => cellsOf(scan, i, finding, places)),
  );
  const text = places.size === 0 ? null : `[${[...places.keys()].join(',')}]`;
  await runText(transaction, 'update scans set places = ? where id = ?', [text, scan]);
}

/** moveFindings brings the findings of a scan, with the places where they were found, to a newer one that found the same. */
export async function moveFindings(transaction: Executor, from: number, to: number): Promise<void> {
  await runText(transaction, 'update findings set scan_id = ? where scan_id = ?', [to, from]);
  await runText(
    transaction,
    'update scans set places = (select had.places from scans had where had.id = ?) where id = ?',
    [from, to],
  );
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
  const [at, before] = [a.foundAt, b.foundAt];
  if (at === null || before === null) return at === before;
  return at.target === before.target && at.path === before.path && at.layer === before.layer;
}

function cellsOf(scan: number, ordinal: number, finding: StoredFinding, places: Map<string, number>): Cell[] {
  const { cve, severity, rank, package: name, installed, fixed, known_exploited, purl, platforms } = finding;
  return [
    ...[scan, ordinal, cve, severity, rank, name, installed, fixed, known_exploited, purl, platforms],
    ...[finding.rated_by, numberOf(finding.foundAt, places)],
  ];
}

function numberOf(at: FoundAt | null, places: Map<string, number>): number | null {
  if (at === null) return null;
  const key = JSON.stringify(
    [at.target, at.path, at.layer].map((text) => (text === null ? null : storableText(text))),
  );
  const number = places.get(key) ?? places.size;
  places.set(key, number);
  return number;
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
  const [kept] = await runText<{ places: string | null }>(
    transaction,
    'select places from scans where id = ?',
    [scan],
  );
  const places = placesOf(kept?.places ?? null);
  const rows = await runText<Omit<StoredFinding, 'foundAt'> & { readonly place: number | null }>(
    transaction,
    `select cve, severity, rank, package, installed, fixed, known_exploited, purl, platforms, rated_by, place
     from findings where scan_id = ? order by ordinal`,
    [scan],
  );
  return rows.map(({ place, ...finding }) => ({
    ...finding,
    foundAt: place === null ? null : (places[place] ?? null),
  }));
}
