import { isDigest } from '../../base/index.ts';
import { SEVERITIES, type Severity } from '../../findings/index.ts';
import type { Vulnerability, VulnerabilityQuery, VulnerabilityStore } from '../../inventory/index.ts';
import { readAdvisories } from '../findings/advisories.ts';
import { readCells, runText, type Cell } from '../sql/dialect.ts';
import { CHUNK, inChunks } from '../sql/marks.ts';
import { containing } from '../sql/search.ts';
import type { Store } from '../sql/store.ts';

type Executor = Parameters<typeof runText>[0];

/** vulnerabilityStore lists vulnerabilities from the totals by CVE, which every scan keeps: no list walks the findings. */
export function vulnerabilityStore({ read }: Store): VulnerabilityStore {
  return { list: (query) => listVulnerabilities(read, query) };
}

const ORDER: Readonly<Record<VulnerabilityQuery['sort'], string>> = {
  severity: 'c.rank',
  cve: 'c.cve',
  images: 'c.images',
  known_exploited: 'c.exploitation',
};

/** Each order has an index that holds it with what filters ask (0028); one direction is the other read backwards. */
function orderOf({ sort, descending }: VulnerabilityQuery): string {
  const [way, back] = descending ? [' desc', ''] : ['', ' desc'];
  if (sort === 'cve') return `c.cve${way}`;
  return (
    [...new Set([ORDER[sort], 'c.images'])].map((column) => `${column}${way}`).join(', ') + `, c.cve${back}`
  );
}

/** More than any list has; what follows an offset is given up to it. */
const ALL = 1_000_000_000;

interface TotalsRow {
  readonly cve: string;
  readonly rank: number;
  readonly images: number;
  readonly fixable: number;
  readonly exploitation: number;
}

async function listVulnerabilities(
  read: Executor,
  query: VulnerabilityQuery,
): Promise<{ items: Vulnerability[]; total: number }> {
  const { text, cells } = conditionsOf(query);
  const few = text === ALL_OF_THEM ? null : await findFew(read, text, cells);
  if (few !== null) {
    const rows = await pageOf(read, query, `c.cve in (${few.marks})`, few.cells);
    return { items: await toItems(read, rows, query.at), total: few.total };
  }
  const [counted] = await runText<{ total: number }>(
    read,
    `select count(*) as total from cve_totals c where ${text}`,
    cells,
  );
  const rows = await pageOf(read, query, text, cells);
  return { items: await toItems(read, rows, query.at), total: counted?.total ?? 0 };
}

/** Those that match, where they are few: to walk the index of an order until a page is full would be to walk all of it. */
async function findFew(
  read: Executor,
  text: string,
  cells: readonly Cell[],
): Promise<{ readonly total: number; readonly marks: string; readonly cells: readonly Cell[] } | null> {
  const found = await readCells(
    read,
    `select c.cve from cve_totals c where ${text} limit ${CHUNK + 1}`,
    cells,
  );
  if (found.length > CHUNK) return null;
  const [chunk] = inChunks(found.map(([cve]) => String(cve)));
  return { total: found.length, marks: chunk?.marks ?? 'null', cells: chunk?.cells ?? [] };
}

async function pageOf(
  read: Executor,
  query: VulnerabilityQuery,
  text: string,
  cells: readonly Cell[],
): Promise<TotalsRow[]> {
  return runText<TotalsRow>(
    read,
    `select c.cve, c.rank, c.images, c.fixable, c.exploitation from cve_totals c where ${text}
     order by ${orderOf(query)} limit ? offset ?`,
    [...cells, query.limit ?? ALL, query.offset],
  );
}

const ALL_OF_THEM = '1 = 1';

function conditionsOf(query: VulnerabilityQuery): { readonly text: string; readonly cells: readonly Cell[] } {
  const conditions: string[] = [ALL_OF_THEM];
  const cells: Cell[] = [];
  const where = (condition: string, ...values: readonly Cell[]): void => {
    conditions.push(condition);
    cells.push(...values);
  };
  const { severity, knownExploited, fixable, triaged, image, namespace, search } = query;
  if (severity !== null) {
    const ranks = severity.map((name) => SEVERITIES.indexOf(name));
    where(`c.rank in (${ranks.length === 0 ? 'null' : ranks.join(', ')})`);
  }
  // Nobody knows of a CVE of which the catalogue was never asked, so it is neither.
  if (knownExploited !== null) where(`c.exploitation = ${knownExploited ? 2 : 0}`);
  if (fixable !== null) where(fixable ? 'c.fixable > 0' : 'c.fixable = 0');
  if (triaged !== null) where(`c.cve ${triaged ? '' : 'not '}in (${TRIAGED_EVERYWHERE})`, query.at, query.at);
  if (image !== null) where(`c.cve in (${FOUND_IN} ${isDigest(image) ? 's.digest = ?' : NAMED})`, image);
  if (namespace !== null) where(`c.cve in (${FOUND_IN} ${SEEN_IN})`, namespace);
  if (search !== null) where("c.search like ? escape '\\'", containing(search));
  return { text: conditions.join(' and '), cells };
}

const IN_FORCE = 't.ended_at is null and t."until" > ?';
/** Images on which an unexpired decision covers a CVE that their scan found. */
const TRIAGED = `from triage t join scans s on s.digest = t.digest and s.current = 1
  where ${IN_FORCE} and exists (select 1 from findings f where f.cve = t.cve and f.scan_id = s.id)`;
/** Only of CVEs with as many decisions as images is it asked whether each of them is about a finding. */
const TRIAGED_EVERYWHERE = `select t.cve ${TRIAGED.replace(' join', ' join cve_totals k on k.cve = t.cve join')} and t.cve in (
    select t.cve from triage t join cve_totals k on k.cve = t.cve where ${IN_FORCE}
    group by t.cve having count(distinct t.digest) >= max(k.images)
  ) group by t.cve having count(distinct t.digest) >= max(k.images)`;

const FOUND_IN = 'select f.cve from scans s join findings f on f.scan_id = s.id where s.current = 1 and';
const NAMED = 's.digest in (select n.digest from image_names n where n.name = ?)';
const SEEN_IN = 's.digest in (select g.digest from image_sightings g where g.namespace = ?)';

/** Packages that are told of one CVE. */
const MAX_PACKAGES = 20;

async function toItems(read: Executor, rows: readonly TotalsRow[], at: number): Promise<Vulnerability[]> {
  const cves = rows.map(({ cve }) => cve);
  const triaged = await triagedOn(read, cves, at);
  const packages = await packagesOf(read, cves);
  const samples = await samplesOf(read, cves);
  const advisories = await readAdvisories(read, cves);
  return rows.map(({ cve, rank, images, fixable, exploitation }) => ({
    cve,
    severity: SEVERITIES[rank] as Severity,
    images,
    sample: samples.get(cve) ?? [],
    packages: packages.get(cve) ?? [],
    fixable: fixable > 0,
    knownExploited: exploitation === 1 ? null : exploitation === 2,
    triagedImages: triaged.get(cve) ?? 0,
    advisory: advisories.get(cve) ?? null,
  }));
}

async function triagedOn(read: Executor, cves: readonly string[], at: number): Promise<Map<string, number>> {
  const triaged = new Map<string, number>();
  for (const { marks, cells } of inChunks(cves)) {
    const rows = await runText<{ cve: string; images: number }>(
      read,
      `select t.cve, count(distinct t.digest) as images ${TRIAGED} and t.cve in (${marks}) group by t.cve`,
      [at, ...cells],
    );
    for (const { cve, images } of rows) triaged.set(cve, images);
  }
  return triaged;
}

async function packagesOf(
  read: Executor,
  cves: readonly string[],
): Promise<Map<string, Vulnerability['packages']>> {
  const fixedBy = new Map<string, Map<string, string[]>>();
  for (const { marks, cells } of inChunks(cves)) {
    const rows = await runText<{ cve: string; package: string; fixed: string }>(
      read,
      `select cve, package, fixed from cve_packages where findings > 0 and cve in (${marks}) order by cve, package, fixed`,
      cells,
    );
    for (const { cve, package: name, fixed } of rows) {
      let own = fixedBy.get(cve);
      if (own === undefined) fixedBy.set(cve, (own = new Map()));
      let versions = own.get(name);
      if (versions === undefined) {
        if (own.size === MAX_PACKAGES) continue;
        own.set(name, (versions = []));
      }
      if (fixed !== '' && versions.length < MAX_PACKAGES) versions.push(fixed);
    }
  }
  return new Map([...fixedBy].map(([cve, own]) => [cve, [...own].map(([name, fixed]) => ({ name, fixed }))]));
}

/** The three scans with the CVE whose findings changed last, each found by one look into the index: a CVE can be in 10,000 images. */
async function samplesOf(read: Executor, cves: readonly string[]): Promise<Map<string, string[]>> {
  const last = (below: string): string =>
    `(select max(f.scan_id) from findings f where f.cve = x.cve${below === '' ? '' : ` and f.scan_id < ${below}`})`;
  const samples = new Map<string, string[]>();
  for (const { marks, cells } of inChunks(cves)) {
    const rows = await runText<{ cve: string; digest: string }>(
      read,
      `select z.cve, s.digest from (
         select y.cve, y.a, y.b, ${last('y.b').replace('x.cve', 'y.cve')} as c from (
           select x.cve, x.a, ${last('x.a')} as b from (
             select x.cve, ${last('')} as a from cve_totals x where x.cve in (${marks})
           ) as x
         ) as y
       ) as z join scans s on s.id in (z.a, z.b, z.c) and s.current = 1 order by z.cve, s.id desc`,
      cells,
    );
    for (const { cve, digest } of rows) samples.set(cve, [...(samples.get(cve) ?? []), digest]);
  }
  return samples;
}
