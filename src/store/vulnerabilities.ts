import { isDigest } from '../base/index.ts';
import { SEVERITIES, type Severity } from '../findings/index.ts';
import type { Vulnerability, VulnerabilityQuery, VulnerabilityStore } from '../inventory/index.ts';
import { runText, type Cell } from './dialect.ts';
import { inChunks } from './marks.ts';
import { containing } from './search.ts';
import type { Store } from './store.ts';

type Executor = Parameters<typeof runText>[0];

/** vulnerabilityStore lists vulnerabilities from the totals by CVE, which every scan keeps: no list walks the findings. */
export function vulnerabilityStore({ read }: Store): VulnerabilityStore {
  return { list: (query) => listVulnerabilities(read, query) };
}

const RANK =
  'case when c.critical > 0 then 4 when c.high > 0 then 3 when c.medium > 0 then 2 when c.low > 0 then 1 else 0 end';

/** Images on which an unexpired decision covers a CVE that their scan found; few rows, since people write them. */
const TRIAGED = `select t.cve, count(distinct t.digest) as images from triage t
  join scans s on s.digest = t.digest and s.current = 1
  where t.ended_at is null and t."until" > ? and exists (select 1 from findings f where f.cve = t.cve and f.scan_id = s.id)
  group by t.cve`;

const ORDER: Readonly<Record<VulnerabilityQuery['sort'], string>> = {
  severity: RANK,
  cve: 'c.cve',
  images: 'c.images',
  known_exploited: 'case when c.exploited > 0 then 2 when c.not_exploited > 0 then 0 else 1 end',
};

/** More than any list has; what follows an offset is given up to it. */
const ALL = 1_000_000_000;

interface TotalsRow {
  readonly cve: string;
  readonly rank: number;
  readonly images: number;
  readonly fixable: number;
  readonly exploited: number;
  readonly not_exploited: number;
  readonly triaged: number;
}

async function listVulnerabilities(
  read: Executor,
  query: VulnerabilityQuery,
): Promise<{ items: Vulnerability[]; total: number }> {
  const { text, cells } = conditionsOf(query);
  const from = `from cve_totals c left join (${TRIAGED}) t on t.cve = c.cve where ${text}`;
  const order = `${ORDER[query.sort]}${query.descending ? ' desc' : ''}, c.images desc, c.cve`;
  const rows = await runText<TotalsRow>(
    read,
    `select c.cve, ${RANK} as rank, c.images, c.fixable, c.exploited, c.not_exploited, coalesce(t.images, 0) as triaged
     ${from} order by ${order} limit ? offset ?`,
    [query.at, ...cells, query.limit ?? ALL, query.offset],
  );
  const [counted] = await runText<{ total: number }>(read, `select count(*) as total ${from}`, [
    query.at,
    ...cells,
  ]);
  return { items: await toItems(read, rows), total: counted?.total ?? 0 };
}

function conditionsOf(query: VulnerabilityQuery): { readonly text: string; readonly cells: readonly Cell[] } {
  const conditions: string[] = ['c.images > 0'];
  const cells: Cell[] = [];
  const where = (condition: string, ...values: readonly Cell[]): void => {
    conditions.push(condition);
    cells.push(...values);
  };
  const { severity, knownExploited, fixable, triaged, image, namespace, search } = query;
  if (severity !== null) {
    const ranks = severity.map((name) => SEVERITIES.indexOf(name));
    where(`${RANK} in (${ranks.length === 0 ? 'null' : ranks.join(', ')})`);
  }
  // Nobody knows of a CVE of which the catalogue was never asked, so it is neither.
  if (knownExploited !== null)
    where(knownExploited ? 'c.exploited > 0' : 'c.exploited = 0 and c.not_exploited > 0');
  if (fixable !== null) where(fixable ? 'c.fixable > 0' : 'c.fixable = 0');
  if (triaged !== null) where(`coalesce(t.images, 0) ${triaged ? '>=' : '<'} c.images`);
  if (image !== null) where(`c.cve in (${FOUND_IN} ${isDigest(image) ? 's.digest = ?' : NAMED})`, image);
  if (namespace !== null) where(`c.cve in (${FOUND_IN} ${SEEN_IN})`, namespace);
  if (search !== null) {
    const part = containing(search);
    where(
      "(c.search like ? escape '\\' or c.cve in (select p.cve from cve_packages p where p.search like ? escape '\\'))",
      part,
      part,
    );
  }
  return { text: conditions.join(' and '), cells };
}

const FOUND_IN = 'select f.cve from scans s join findings f on f.scan_id = s.id where s.current = 1 and';
const NAMED = 's.digest in (select n.digest from image_names n where n.name = ?)';
const SEEN_IN = 's.digest in (select g.digest from image_sightings g where g.namespace = ?)';

/** Packages that are told of one CVE. */
const MAX_PACKAGES = 20;

async function toItems(read: Executor, rows: readonly TotalsRow[]): Promise<Vulnerability[]> {
  const cves = rows.map(({ cve }) => cve);
  const packages = await packagesOf(read, cves);
  const samples = await samplesOf(read, cves);
  return rows.map(({ cve, rank, images, fixable, exploited, not_exploited, triaged }) => ({
    cve,
    severity: SEVERITIES[rank] as Severity,
    images,
    sample: samples.get(cve) ?? [],
    packages: packages.get(cve) ?? [],
    fixable: fixable > 0,
    knownExploited: exploited > 0 ? true : not_exploited > 0 ? false : null,
    triagedImages: triaged,
  }));
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

/** The three scans with the CVE that were recorded last, each found by one look into the index: a CVE can be in 10,000 images. */
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
