import { parseTime, sha256Hex } from '../base/index.ts';
import { compose } from './compose.ts';
import { toDocument } from './document.ts';
import { writeReports } from './package/make.ts';
import { requestOf, toSource, type Package } from './package/open.ts';
import { ROWS_FILE } from './package/rows.ts';
import { readRows, verifiedOf, type RowsBeside, type RowsReading } from './rows-beside.ts';
import { summing } from './table-sums.ts';

/** Difference is a place at which a package and what follows from its rows part. */
export interface Difference {
  /** A path in `evidence.json`, or a file. */
  readonly place: string;
  /** What the package says, and what follows from its rows; as JSON, or a digest. */
  readonly says: string;
  readonly follows: string;
}

/** Recomputed is what became of counting everything again. */
export interface Recomputed {
  readonly agrees: boolean;
  readonly rows: number;
  readonly attestations: number;
  readonly requirements: number;
  /** The first few, in the order of the document. */
  readonly differences: readonly Difference[];
  /** Files that were not made again, with the reason. */
  readonly notCompared: readonly string[];
}

const MOST = 20;

/**
 * recompute counts a package again from the rows and tables inside: every count and state, the tables that follow from the rows, and the
 * reports. `beside` verifies the rows meanwhile, where they are many. Throws IpoError or LedgerError where a part cannot be read, and what
 * `beside` throws.
 */
export async function recompute(
  pkg: Package,
  version: string,
  progress: (rows: number) => void = () => undefined,
  beside: RowsBeside | null = null,
): Promise<Recomputed> {
  const reading = readRows(pkg, { keys: [], kept: [] }, beside);
  try {
    return await recomputeFrom(pkg, reading, version, progress);
  } finally {
    // It reads the file, which is closed next.
    await reading.end();
  }
}

async function recomputeFrom(
  pkg: Package,
  { rows, outcome }: RowsReading,
  version: string,
  progress: (rows: number) => void,
): Promise<Recomputed> {
  const { document } = pkg;
  const request = requestOf(document);
  const { source, close } = await toSource(pkg, rows);
  const { sums, open } = summing();
  try {
    const at = parseTime(document.made_at);
    const composed = await compose(source, request, at, {
      open,
      verifyRows: async () => verifiedOf(await outcome),
      progress,
    });
    const { id, generation, files } = document;
    const again = toDocument({
      id,
      at,
      request,
      facts: source.facts,
      keyId: generation.key_id,
      composed,
      files,
    });
    const isOther = generation.service !== version;
    // Another version may say the same in other words.
    const differences = [...differ('', document, JSON.parse(JSON.stringify(again)) as unknown)].filter(
      ({ place }) => !isOther || !/\.(because|title|why|name)$/.test(place),
    );
    for (const [name, sum] of sums) {
      if (name === ROWS_FILE) continue;
      const said = files.find((file) => file.name === name)?.sha256 ?? 'not in the package';
      if (said !== sum) differences.push({ place: name, says: said, follows: sum });
    }
    const notCompared = await compareReports(pkg, version, differences);
    return {
      agrees: differences.length === 0,
      rows: composed.walk.rows,
      attestations: document.attestations.length,
      requirements: document.requirements.reduce((sum, one) => sum + one.requirements.length, 0),
      differences: differences.slice(0, MOST),
      notCompared,
    };
  } finally {
    await close();
  }
}

/** Another version writes reports in another way, which says nothing. */
async function compareReports(pkg: Package, version: string, differences: Difference[]): Promise<string[]> {
  const { document } = pkg;
  const { json, reports } = await writeReports(document, document.files);
  if (sha256Hex(pkg.json) !== sha256Hex(json))
    differences.push({ place: 'evidence.json', says: sha256Hex(pkg.json), follows: sha256Hex(json) });
  if (document.generation.service !== version)
    return [...reports.keys()].map((name) => `${name}: made by ipo ${document.generation.service}`);
  for (const [name, content] of reports) {
    const there = await pkg.read(name);
    const says = there === null ? 'not in the package' : sha256Hex(there);
    const follows = sha256Hex(content);
    if (says !== follows) differences.push({ place: name, says, follows });
  }
  return [];
}

/** differ gives the places at which two JSON values differ. */
function* differ(place: string, says: unknown, follows: unknown): Generator<Difference, void, undefined> {
  if (Object.is(says, follows)) return;
  if (!isNested(says) || !isNested(follows) || Array.isArray(says) !== Array.isArray(follows)) {
    yield { place, says: shown(says), follows: shown(follows) };
    return;
  }
  for (const key of new Set([...Object.keys(says), ...Object.keys(follows)])) {
    const name = place === '' ? key : `${place}.${labelOf(says, key)}`;
    yield* differ(name, says[key], follows[key]);
  }
}

type Nested = Readonly<Record<string, unknown>>;

function isNested(value: unknown): value is Nested {
  return value !== null && typeof value === 'object';
}

/** Entries of lists are named by their id where they have one. */
function labelOf(parent: Nested, key: string): string {
  if (!Array.isArray(parent)) return key;
  const entry = parent[Number(key)] as { readonly id?: unknown } | undefined;
  return typeof entry?.id === 'string' ? entry.id : key;
}

function shown(value: unknown): string {
  const text = value === undefined ? 'nothing' : JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
