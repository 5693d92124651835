import { sql } from 'kysely';
import { byCodeUnit, formatTime } from '../../base/index.ts';
import { parseImageFacts, toImageFactsDocument, type ImageFacts } from '../../facts/index.ts';
import {
  missingPlatforms,
  severityRank,
  type Finding,
  type ScannedPlatform,
  type ScanRecord,
  type Severity,
} from '../../findings/index.ts';
import { neededEntries } from '../../image/index.ts';
import { hashNames, keepFactsNames, newestNames, touch } from './image-states.ts';
import { wantedPlatforms } from './node-platforms.ts';
import { parseEntries, readParts } from './scan-platforms.ts';
import type { Store } from '../sql/store.ts';
import { run, type Executor, type Row } from '../sql/run.ts';

/**
 * lockImage makes an image known and keeps others from changing its facts until the transaction ends. Whatever changes a scan,
 * triage or proofs calls it first, so that none assembles facts without the other's change.
 */
export async function lockImage(transaction: Executor, digest: string, at: number): Promise<void> {
  await run(
    transaction,
    sql`insert into images (digest, first_seen_at) values (${digest}, ${at})
     on conflict (digest) do update set first_seen_at = images.first_seen_at`,
  );
}

/**
 * rebuildFacts assembles what is known of a digest, in the form of the ledger's export, and writes it when it changed. Call it in the
 * transaction that changes a scan, triage or proofs, after lockImage. With no completed scan, no proofs and no triage of the image itself
 * there are no facts.
 * `found` are the findings of the current scan as they were just written; null reads them.
 */
export async function rebuildFacts(
  transaction: Executor,
  digest: string,
  found: readonly FindingRow[] | null = null,
): Promise<void> {
  const names = await namesOf(transaction, digest);
  const scan = await currentScan(transaction, digest, found);
  const missing = scan === null ? 0 : missingPlatforms(scan).length;
  const [proofs] = await run(
    transaction,
    sql<
      Record<ProofList, string | null>
    >`select signatures, attestations, provenance, vex from image_proofs where digest = ${digest}`,
  );
  const noPackagesUntilMs = await noPackagesUntil(transaction, digest);
  const whole = { digest, names, scan, ...parseProofs(digest, proofs) };
  const facts =
    scan === null && proofs === undefined && noPackagesUntilMs === null
      ? null
      : JSON.stringify(
          toImageFactsDocument(noPackagesUntilMs === null ? whole : { ...whole, noPackagesUntilMs }),
        );
  const changed = await run(
    transaction,
    sql`update images set facts = ${facts}, facts_version = facts_version + 1
     where digest = ${digest} and facts is distinct from ${facts} returning digest`,
  );
  if (missing > 0 || changed.length > 0)
    await run(
      transaction,
      sql`update images set missing = ${missing} where digest = ${digest} and missing <> ${missing}`,
    );
  if (changed.length > 0) await touch(transaction, digest, hashNames(names));
  else await keepFactsNames(transaction, digest, hashNames(names));
}

/** refreshFacts makes the facts of an image again, in a transaction of its own: it is known under other names than they say. */
export async function refreshFacts(store: Store, digest: string, at: number): Promise<void> {
  await store.write(async (transaction) => {
    await lockImage(transaction, digest, at);
    await rebuildFacts(transaction, digest);
  });
}

/** readFacts gives what is recorded of a digest, or null for nothing. */
export async function readFacts(read: Executor, digest: string): Promise<ImageFacts | null> {
  const [image] = await run(
    read,
    sql<Row<'images', 'facts'>>`select facts from images where digest = ${digest}`,
  );
  return image === undefined || image.facts === null ? null : parseImageFacts(JSON.parse(image.facts));
}

/** PROOF_LISTS are the columns of an image's proofs. */
export const PROOF_LISTS = ['signatures', 'attestations', 'provenance', 'vex'] as const;
type ProofList = (typeof PROOF_LISTS)[number];

/** parseProofs reads stored proofs; a list that is null, or a digest without any record, is unknown. */
function parseProofs(
  digest: string,
  proofs: Record<ProofList, string | null> | undefined,
): Pick<ImageFacts, ProofList> {
  const list = (name: ProofList): unknown => {
    const text = proofs?.[name] ?? null;
    return text === null ? null : JSON.parse(text);
  };
  const { signatures, attestations, provenance, vex } = parseImageFacts({
    digest,
    ...Object.fromEntries(PROOF_LISTS.map((name) => [name, list(name)])),
  });
  return { signatures, attestations, provenance, vex };
}

/** In the order of their characters, the same on both engines. */
async function namesOf(transaction: Executor, digest: string): Promise<string[]> {
  return (await newestNames(transaction, digest)).toSorted(byCodeUnit);
}

interface ScanRow {
  readonly id: number;
  readonly scanned_at: number | null;
  readonly scanner: string | null;
  readonly scanner_version: string | null;
  readonly db_updated_at: number | null;
  readonly os_family: string | null;
  readonly os_name: string | null;
  readonly os_eosl: number | null;
  /** Of the image: what is behind the digest. */
  readonly platforms: string | null;
  /** Whether it was put together from scans of platforms. */
  readonly parted: number;
}

async function currentScan(
  transaction: Executor,
  digest: string,
  found: readonly FindingRow[] | null,
): Promise<ScanRecord | null> {
  const [scan] = await run(
    transaction,
    sql<ScanRow>`select s.id, s.scanned_at, s.scanner, s.scanner_version, s.db_updated_at, s.os_family, s.os_name, s.os_eosl, i.platforms,
       case when exists (select 1 from scan_platforms p where p.digest = s.digest) then 1 else 0 end as parted
     from scans s join images i on i.digest = s.digest where s.digest = ${digest} and s.current = 1`,
  );
  if (scan === undefined) return null;
  const platforms = scan.parted === 1 ? await platformsOf(transaction, digest, scan.platforms) : null;
  return {
    scannedAt: timeOf(scan.scanned_at),
    scanner:
      scan.scanner === null
        ? null
        : {
            name: scan.scanner,
            version: scan.scanner_version ?? '',
            dbUpdatedAt: timeOf(scan.db_updated_at),
          },
    os: osOf(scan),
    ...(platforms !== null && { platforms }),
    findings: await findingsOf(transaction, digest, scan.id, found),
  };
}

function osOf({ os_family, os_name, os_eosl }: Pick<ScanRow, 'os_family' | 'os_name' | 'os_eosl'>) {
  return os_family === null ? null : { family: os_family, name: os_name ?? '', eosl: (os_eosl ?? 0) > 0 };
}

/** The platforms that the digest is scanned for, and those that nodes have and it has an image for; null where nobody said. */
async function platformsOf(
  transaction: Executor,
  digest: string,
  entries: string | null,
): Promise<readonly ScannedPlatform[] | null> {
  const parts = (await readParts(transaction, digest)).filter(({ platform }) => platform !== '');
  const found = new Map<string, ScannedPlatform>();
  for (const { platform, image, scanned_at, ...os } of parts)
    found.set(platform, {
      platform,
      digest: image,
      scanned: true,
      scannedAt: timeOf(scanned_at),
      os: osOf(os),
    });
  for (const { platform, digest: image } of neededEntries(
    parseEntries(entries) ?? [],
    await wantedPlatforms(transaction),
  ))
    if (!found.has(platform))
      found.set(platform, { platform, digest: image, scanned: false, scannedAt: null, os: null });
  return [...found.values()].toSorted((a, b) => byCodeUnit(a.platform, b.platform));
}

interface FindingRow {
  readonly cve: string;
  readonly severity: string;
  readonly package: string;
  readonly installed: string;
  readonly fixed: string | null;
  readonly known_exploited: number | null;
  readonly purl: string | null;
  readonly platforms: string | null;
}

async function findingsOf(
  transaction: Executor,
  digest: string,
  scan: number,
  found: readonly FindingRow[] | null,
): Promise<Finding[]> {
  const ends = await triageEnds(transaction, digest);
  const rows =
    found ??
    (await run(
      transaction,
      sql<FindingRow>`select cve, severity, package, installed, fixed, known_exploited, purl, platforms
       from findings where scan_id = ${scan} order by ordinal`,
    ));
  return rows.map(({ cve, severity, package: name, installed, fixed, known_exploited, purl, platforms }) => {
    const until = ends.get(cve) ?? null;
    return {
      cve,
      severity: severity as Severity,
      rank: severityRank(severity) ?? 0,
      package: name,
      installed,
      purl,
      fixed,
      knownExploited: known_exploited === null ? null : known_exploited === 1,
      triagedUntil: timeOf(until),
      triagedUntilMs: until ?? -Infinity,
      ...(platforms !== null && { platforms: JSON.parse(platforms) as string[] }),
    };
  });
}

/**
 * The latest end of the decisions on each CVE; one that was taken back ended then. Those that are over stay, since whether one
 * covers is judged at the time of the decision, which in a replay may lie back.
 */
async function triageEnds(transaction: Executor, digest: string): Promise<Map<string, number>> {
  const rows = await run(
    transaction,
    sql<
      Row<'triage', 'cve'> & { ends: number }
    >`select cve, max(case when ended_at < "until" then ended_at else "until" end) as ends
     from triage where digest = ${digest} group by cve`,
  );
  return new Map(rows.map(({ cve, ends }) => [cve, ends]));
}

/** NO_PACKAGES stands in the place of the CVE where a decision is on the image itself: it holds no packages to scan. No CVE is empty. */
export const NO_PACKAGES = '';

/** The latest end of these decisions, as triageEnds has it; null where there never was one. */
async function noPackagesUntil(transaction: Executor, digest: string): Promise<number | null> {
  return (await triageEnds(transaction, digest)).get(NO_PACKAGES) ?? null;
}

function timeOf(at: number | null): string | null {
  return at === null ? null : formatTime(at);
}
