import { sql } from 'kysely';
import { byCodeUnit } from '../../base/index.ts';
import type { Advisory } from '../../findings/index.ts';
import { insertMany, type Cell } from '../sql/dialect.ts';
import { inLists } from '../sql/marks.ts';
import { storableText } from '../sql/storable.ts';
import { readCells, run, type Executor, type Row } from '../sql/run.ts';

const TYPES = {
  cve: 'text',
  rated_by: 'text',
  title: 'text',
  url: 'text',
  cvss_version: 'text',
  cvss_score: 'integer',
  cvss_vector: 'text',
} as const;
const COLUMNS = Object.keys(TYPES) as (keyof typeof TYPES)[];
const NEWEST = `on conflict (cve, rated_by) do update set ${COLUMNS.slice(2)
  .map((name) => `${name} = excluded.${name}`)
  .join(', ')}`;

/** AdvisoryRow is an advisory as it is kept; all null where there is none. */
export interface AdvisoryRow {
  readonly title: string | null;
  readonly url: string | null;
  readonly rated_by: string | null;
  readonly cvss_version: string | null;
  readonly cvss_score: number | null;
  readonly cvss_vector: string | null;
}

/** ADVISORY are the columns of AdvisoryRow in a table called `a`. */
export const ADVISORY = sql`a.title, a.url, a.rated_by, a.cvss_version, a.cvss_score, a.cvss_vector`;

/** toAdvisory makes an advisory of a row; null where nothing is known. */
export function toAdvisory(row: AdvisoryRow): Advisory | null {
  const { title, url, rated_by, cvss_version: version, cvss_score, cvss_vector: vector } = row;
  if (rated_by === null) return null;
  const score = cvss_score === null ? null : cvss_score / 10;
  return { title, url, cvss: score === null ? null : { version, score, vector, source: rated_by } };
}

/** ratedBy names the advisory of a finding, together with its CVE; null for none. */
export function ratedBy(advisory: Advisory | null | undefined): string | null {
  return advisory ? (advisory.cvss?.source ?? '') : null;
}

/**
 * keepAdvisories keeps what a scan says of vulnerabilities; the newest word of a source holds. Most say what is kept already, and write
 * nothing. Call it after changeTotals, which lets go of those of CVEs that no image has.
 */
export async function keepAdvisories(transaction: Executor, findings: readonly Said[]): Promise<void> {
  await writeAdvisories(transaction, await changedAdvisories(transaction, findings));
}

/** Said is a finding with what its report says of the vulnerability. */
interface Said {
  readonly cve: string;
  readonly advisory?: Advisory | null | undefined;
}

/** ChangedAdvisories are rows that writeAdvisories writes. */
export type ChangedAdvisories = readonly (readonly Cell[])[];

/** writeAdvisories keeps what changedAdvisories found. */
export async function writeAdvisories(transaction: Executor, changed: ChangedAdvisories): Promise<void> {
  await insertMany(transaction, 'advisories', TYPES, changed, NEWEST);
}

/** changedAdvisories tells what keepAdvisories would write. */
export async function changedAdvisories(
  read: Executor,
  findings: readonly Said[],
): Promise<ChangedAdvisories> {
  const said = rowsByCve(findings);
  for (const marks of inLists([...said.keys()])) {
    const rows = await readCells(
      read,
      sql`select ${sql.join(COLUMNS.map((name) => sql.ref(name)))} from advisories where cve in (${marks})`,
    );
    for (const known of rows) {
      const own = said.get(String(known[0]));
      const same = own?.findIndex(([, source]) => source === known[1]) ?? -1;
      if (own?.[same]?.every((cell, i) => cell === known[i]) === true) own.splice(same, 1);
    }
  }
  return [...said.keys()]
    .toSorted(byCodeUnit)
    .flatMap((cve) => said.get(cve)?.toSorted(([, a], [, b]) => byCodeUnit(String(a), String(b))) ?? []);
}

/** The newest word of each source, by CVE; most have one source. */
function rowsByCve(findings: readonly Said[]): Map<string, Cell[][]> {
  const said = new Map<string, Cell[][]>();
  const seen = new Map<string, Advisory>();
  for (const { cve, advisory } of findings) {
    // One that several packages have is mostly the same object.
    if (!advisory || seen.get(cve) === advisory) continue;
    seen.set(cve, advisory);
    const { title, url, cvss } = advisory;
    const score = cvss === null ? null : Math.round(cvss.score * 10);
    const key = storableText(cve);
    const row = [
      ...[key, ratedBy(advisory) ?? '', title, url],
      ...[cvss?.version ?? null, score, cvss?.vector ?? null],
    ];
    const own = said.get(key);
    const same = own?.findIndex(([, source]) => source === row[1]) ?? -1;
    if (own === undefined) said.set(key, [row]);
    else if (same === -1) own.push(row);
    else own[same] = row;
  }
  return said;
}

/** readAdvisories gives one advisory for each CVE: the one with NVD's rating, else the first of another source, else one without. */
export async function readAdvisories(
  read: Executor,
  cves: readonly string[],
): Promise<ReadonlyMap<string, Advisory>> {
  const found = new Map<string, Advisory>();
  for (const marks of inLists(cves)) {
    const rows = await run(
      read,
      sql<
        AdvisoryRow & Row<'advisories', 'cve'>
      >`select a.cve, ${ADVISORY} from advisories a where a.cve in (${marks})
       order by a.cve, case a.rated_by when 'nvd' then 0 when '' then 2 else 1 end, a.rated_by`,
    );
    for (const row of rows) {
      const advisory = toAdvisory(row);
      if (advisory !== null && !found.has(row.cve)) found.set(row.cve, advisory);
    }
  }
  return found;
}
