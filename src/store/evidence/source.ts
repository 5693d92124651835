import { sql } from 'kysely';
import { byCodeUnit } from '../../base/index.ts';
import {
  findingsOf,
  imagesOf,
  type EvidenceRequest,
  type EvidenceSource,
  type FindingRecord,
  type ImageRecord,
  type IssueRecord,
  type RowsFile,
  type TriageRecord,
} from '../../evidence/index.ts';
import { SEVERITIES } from '../../findings/index.ts';
import type { ImageHistory } from '../../history/index.ts';
import { exportLines, type ExportRequest } from '../../ledger/index.ts';
import { historyReader } from '../history/index.ts';
import { ledgerExport } from '../ledger/index.ts';
import { inLists } from '../sql/marks.ts';
import { run, type Row } from '../sql/run.ts';
import type { Store } from '../sql/store.ts';
import { evidenceFacts, type Installation } from './facts.ts';

/** Images whose history is read at once, and rows of other tables. */
const PAGE = 100;
const ROWS = 1000;

/** evidenceSource reads what a package is made from out of a database, which must not change meanwhile (`atOneMoment`). */
export async function evidenceSource(
  store: Store,
  request: EvidenceRequest,
  rows: Omit<ExportRequest, 'from' | 'to'>,
  installation: Installation,
): Promise<EvidenceSource & { readonly total: number | null }> {
  const parts = await ledgerExport(store, { ...rows, from: request.from, to: request.to });
  const policies = [...parts.policies];
  const file: RowsFile = {
    policies,
    lines: (take) => {
      async function* taken() {
        for await (const batch of parts.rows) {
          take(batch);
          yield batch;
        }
      }
      return exportLines({ ...parts, policies, rows: taken() });
    },
  };
  return {
    total: parts.header.rows,
    facts: await evidenceFacts(store, request, installation),
    rows: file,
    issues: () => issues(store, request),
    findings: () => ofImages(store, request, findingsOf),
    triage: () => triage(store, request),
    images: () => ofImages(store, request, imagesIn(request)),
  };
}

function imagesIn(request: EvidenceRequest): typeof imagesOf {
  return (history, image, period) =>
    imagesOf(history, image, period).filter(({ cluster }) => isIn(request, [cluster ?? '']));
}

function isIn({ clusters }: EvidenceRequest, names: readonly string[]): boolean {
  return clusters.length === 0 || names.some((name) => clusters.includes(name));
}

async function* ofImages<T extends FindingRecord | ImageRecord>(
  store: Store,
  request: EvidenceRequest,
  to: (history: ImageHistory, image: string | null, period: EvidenceRequest) => readonly T[],
): AsyncGenerator<readonly T[], void, undefined> {
  const reader = historyReader(store);
  for (let after = ''; ;) {
    const page = await reader.images(after, PAGE);
    const wanted = page.filter(({ runs }) =>
      isIn(
        request,
        runs.map(({ cluster }) => cluster),
      ),
    );
    const names = await namesOf(
      store,
      wanted.map(({ digest }) => digest),
    );
    for (const history of wanted) yield to(history, names.get(history.digest) ?? null, request);
    const last = page.at(-1);
    if (last === undefined || page.length < PAGE) return;
    after = last.digest;
  }
}

/** Of several names of an image the first in the order that no engine changes. */
async function namesOf(store: Store, digests: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const names = new Map<string, string>();
  for (const marks of inLists(digests)) {
    const found = await run(
      store.read,
      sql<
        Row<'image_names', 'digest' | 'name'>
      >`select digest, name from image_names where digest in (${marks})`,
    );
    for (const { digest, name } of found) {
      const known = names.get(digest);
      if (known === undefined || byCodeUnit(name, known) < 0) names.set(digest, name);
    }
  }
  return names;
}

type IssueRow = Row<
  'tracking',
  | 'id'
  | 'kind'
  | 'cve'
  | 'rule'
  | 'digest'
  | 'image'
  | 'severity'
  | 'channel_kind'
  | 'issue_key'
  | 'issue_url'
  | 'clusters'
  | 'opened_at'
  | 'closed_at'
  | 'state'
  | 'reason'
  | 'returned_at'
  | 'superseded_by'
  | 'successor_has_cve'
>;

/** Issues that were open at some time of the period, in the order of their rows. */
async function* issues(
  store: Store,
  request: EvidenceRequest,
): AsyncGenerator<readonly IssueRecord[], void, undefined> {
  for (let after = 0; ;) {
    const page = await run(
      store.read,
      sql<IssueRow>`select id, kind, cve, rule, digest, image, severity, channel_kind, issue_key, issue_url, clusters, opened_at, closed_at, state, reason,
          returned_at, superseded_by, successor_has_cve
        from tracking where id > ${after} and opened_at <= ${request.to} and (closed_at is null or closed_at >= ${request.from})
        order by id limit ${ROWS}`,
    );
    yield page.map(toIssue).filter(({ clusters }) => isIn(request, clusters));
    const last = page.at(-1);
    if (last === undefined || page.length < ROWS) return;
    after = last.id;
  }
}

function toIssue({
  channel_kind,
  issue_key,
  issue_url,
  clusters,
  successor_has_cve,
  ...row
}: IssueRow): IssueRecord {
  return {
    ...row,
    successor_has_cve: successor_has_cve === null ? null : successor_has_cve === 1,
    tracker: channel_kind,
    issue: issue_key,
    url: issue_url,
    clusters: JSON.parse(clusters) as string[],
    hours_open: null,
    window_hours: null,
    inside_window: null,
  };
}

type TriageRow = Row<
  'triage',
  | 'id'
  | 'digest'
  | 'cve'
  | 'reason'
  | 'triaged_by'
  | 'account_id'
  | 'severity'
  | 'created_at'
  | 'until'
  | 'ended_at'
>;

/** Decisions that stood at some time of the period, in the order in which they were made. */
async function* triage(
  store: Store,
  request: EvidenceRequest,
): AsyncGenerator<readonly TriageRecord[], void, undefined> {
  for (let after = 0; ;) {
    const page = await run(
      store.read,
      sql<TriageRow>`select id, digest, cve, reason, triaged_by, account_id, severity, created_at, "until", ended_at from triage
        where id > ${after} and created_at <= ${request.to} and coalesce(ended_at, "until") >= ${request.from} order by id limit ${ROWS}`,
    );
    const digests = [...new Set(page.map(({ digest }) => digest))];
    const [names, ranks] = [await namesOf(store, digests), await ranksOf(store, digests)];
    yield page.map((row) => ({
      id: row.id,
      digest: row.digest,
      image: names.get(row.digest) ?? null,
      cve: row.cve,
      severity: severityOf(ranks.get(`${row.digest} ${row.cve}`)) ?? row.severity,
      reason: row.reason,
      decided_by: personOf(row),
      decided_at: row.created_at,
      until: row.until,
      ended_at: row.ended_at,
    }));
    const last = page.at(-1);
    if (last === undefined || page.length < ROWS) return;
    after = last.id;
  }
}

/** Persons are accounts; a name is not told. */
function personOf({ account_id: account, triaged_by: by }: TriageRow): string | null {
  if (account !== null) return `user:${account}`;
  return by.startsWith('user:') ? by : null;
}

/** The highest severity that a scan gave each CVE of some images. */
async function ranksOf(store: Store, digests: readonly string[]): Promise<ReadonlyMap<string, number>> {
  const ranks = new Map<string, number>();
  for (const marks of inLists(digests)) {
    const found = await run(
      store.read,
      sql<{ digest: string; cve: string; worst: number }>`select i.digest, f.cve, max(f.worst) as worst
        from finding_history f join history_images i on i.id = f.image where i.digest in (${marks}) group by i.digest, f.cve`,
    );
    for (const { digest, cve, worst } of found) ranks.set(`${digest} ${cve}`, worst);
  }
  return ranks;
}

function severityOf(rank: number | undefined): string | null {
  return rank === undefined ? null : (SEVERITIES[rank] ?? 'UNKNOWN');
}
