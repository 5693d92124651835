import { sql, type RawBuilder } from 'kysely';
import { isDigest } from '../../base/index.ts';
import { SEVERITIES, type Severity } from '../../findings/index.ts';
import type { Vulnerability, VulnerabilityQuery, VulnerabilityStore } from '../../inventory/index.ts';
import { readAdvisories } from '../findings/advisories.ts';
import { CHUNK, inLists } from '../sql/marks.ts';
import { containing } from '../sql/search.ts';
import type { Store } from '../sql/store.ts';
import { readCells, run, type Executor, type Row } from '../sql/run.ts';

/** vulnerabilityStore lists vulnerabilities from the totals by CVE, which every scan keeps: no list walks the findings. */
export function vulnerabilityStore({ read }: Store): VulnerabilityStore {
  return { list: (query) => listVulnerabilities(read, query) };
}

const ORDER = {
  severity: 'c.rank',
  cve: 'c.cve',
  images: 'c.images',
  known_exploited: 'c.exploitation',
} as const satisfies Record<VulnerabilityQuery['sort'], string>;

/** Each order has an index that holds it with what filters ask (0028); one direction is the other read backwards. */
function orderOf({ sort, descending }: VulnerabilityQuery): RawBuilder<unknown> {
  const [way, back] = descending ? [sql`desc`, sql``] : [sql``, sql`desc`];
  if (sort === 'cve') return sql`c.cve ${way}`;
  const columns = [...new Set([ORDER[sort], 'c.images'])].map((column) => sql`${sql.ref(column)} ${way}`);
  return sql`${sql.join(columns)}, c.cve ${back}`;
}

/** More than any list has; what follows an offset is given up to it. */
const ALL = 1_000_000_000;

type TotalsRow = Row<'cve_totals', 'cve' | 'rank' | 'images' | 'fixable' | 'exploitation'>;

async function listVulnerabilities(
  read: Executor,
  query: VulnerabilityQuery,
): Promise<{ items: Vulnerability[]; total: number }> {
  const conditions = conditionsOf(query);
  const chosen = sql.join([sql`1 = 1`, ...conditions], sql` and `);
  const few = conditions.length === 0 ? null : await findFew(read, chosen);
  if (few !== null) {
    const rows = await pageOf(read, query, sql`c.cve in (${few.cves})`);
    return { items: await toItems(read, rows, query.at), total: few.total };
  }
  const [counted] = await run(
    read,
    sql<{ total: number }>`select count(*) as total from cve_totals c where ${chosen}`,
  );
  const rows = await pageOf(read, query, chosen);
  return { items: await toItems(read, rows, query.at), total: counted?.total ?? 0 };
}

/** Those that match, where they are few: to walk the index of an order until a page is full would be to walk all of it. */
async function findFew(
  read: Executor,
  chosen: RawBuilder<unknown>,
): Promise<{ readonly total: number; readonly cves: RawBuilder<unknown> } | null> {
  const found = await readCells(read, sql`select c.cve from cve_totals c where ${chosen} limit ${CHUNK + 1}`);
  if (found.length > CHUNK) return null;
  const [cves = sql`null`] = inLists(found.map(([cve]) => String(cve)));
  return { total: found.length, cves };
}

async function pageOf(
  read: Executor,
  query: VulnerabilityQuery,
  chosen: RawBuilder<unknown>,
): Promise<TotalsRow[]> {
  return run(
    read,
    sql<TotalsRow>`select c.cve, c.rank, c.images, c.fixable, c.exploitation from cve_totals c where ${chosen}
     order by ${orderOf(query)} limit ${query.limit ?? ALL} offset ${query.offset}`,
  );
}

function conditionsOf(query: VulnerabilityQuery): RawBuilder<unknown>[] {
  const conditions: RawBuilder<unknown>[] = [];
  const where = (condition: RawBuilder<unknown>): void => void conditions.push(condition);
  const { severity, knownExploited, fixable, triaged, image, namespace, search } = query;
  if (severity !== null) {
    const ranks = severity.map((name) => SEVERITIES.indexOf(name));
    where(sql`c.rank in (${ranks.length === 0 ? sql`null` : sql.join(ranks.map((rank) => sql.lit(rank)))})`);
  }
  // Nobody knows of a CVE of which the catalogue was never asked, so it is neither.
  if (knownExploited !== null) where(sql`c.exploitation = ${sql.lit(knownExploited ? 2 : 0)}`);
  if (fixable !== null) where(fixable ? sql`c.fixable > 0` : sql`c.fixable = 0`);
  if (triaged !== null) where(sql`c.cve ${triaged ? sql`` : sql`not`} in (${triagedEverywhere(query.at)})`);
  if (image !== null)
    where(sql`c.cve in (${FOUND_IN} ${isDigest(image) ? sql`s.digest = ${image}` : named(image)})`);
  if (namespace !== null) where(sql`c.cve in (${FOUND_IN} ${seenIn(namespace)})`);
  if (search !== null) where(sql`c.search like ${containing(search)} escape '\\'`);
  return conditions;
}

const inForce = (at: number): RawBuilder<unknown> => sql`t.ended_at is null and t."until" > ${at}`;
/** Images on which an unexpired decision covers a CVE that their scan found; `also` is joined before them. */
const triagedFrom = (
  at: number,
  also = sql``,
): RawBuilder<unknown> => sql`from triage t ${also} join scans s on s.digest = t.digest and s.current = 1
  where ${inForce(at)} and exists (select 1 from findings f where f.cve = t.cve and f.scan_id = s.id)`;
/** Only of CVEs with as many decisions as images is it asked whether each of them is about a finding. */
const triagedEverywhere = (
  at: number,
): RawBuilder<unknown> => sql`select t.cve ${triagedFrom(at, sql`join cve_totals k on k.cve = t.cve`)} and t.cve in (
    select t.cve from triage t join cve_totals k on k.cve = t.cve where ${inForce(at)}
    group by t.cve having count(distinct t.digest) >= max(k.images)
  ) group by t.cve having count(distinct t.digest) >= max(k.images)`;

const FOUND_IN = sql`select f.cve from scans s join findings f on f.scan_id = s.id where s.current = 1 and`;
const named = (image: string): RawBuilder<unknown> =>
  sql`s.digest in (select n.digest from image_names n where n.name = ${image})`;
const seenIn = (namespace: string): RawBuilder<unknown> =>
  sql`s.digest in (select g.digest from image_sightings g where g.namespace = ${namespace})`;

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
  for (const marks of inLists(cves)) {
    const rows = await run(
      read,
      sql<
        Row<'triage', 'cve'> & { images: number }
      >`select t.cve, count(distinct t.digest) as images ${triagedFrom(at)} and t.cve in (${marks}) group by t.cve`,
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
  for (const marks of inLists(cves)) {
    const rows = await run(
      read,
      sql<
        Row<'cve_packages', 'cve' | 'package' | 'fixed'>
      >`select cve, package, fixed from cve_packages where findings > 0 and cve in (${marks}) order by cve, package, fixed`,
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
  const last = (cve: string, below = sql``): RawBuilder<unknown> =>
    sql`(select max(f.scan_id) from findings f where f.cve = ${sql.ref(cve)} ${below})`;
  const samples = new Map<string, string[]>();
  for (const marks of inLists(cves)) {
    const rows = await run(
      read,
      sql<Row<'cve_totals', 'cve'> & Row<'scans', 'digest'>>`select z.cve, s.digest from (
         select y.cve, y.a, y.b, ${last('y.cve', sql`and f.scan_id < y.b`)} as c from (
           select x.cve, x.a, ${last('x.cve', sql`and f.scan_id < x.a`)} as b from (
             select x.cve, ${last('x.cve')} as a from cve_totals x where x.cve in (${marks})
           ) as x
         ) as y
       ) as z join scans s on s.id in (z.a, z.b, z.c) and s.current = 1 order by z.cve, s.id desc`,
    );
    for (const { cve, digest } of rows) samples.set(cve, [...(samples.get(cve) ?? []), digest]);
  }
  return samples;
}
