import { byCodeUnit, formatTime } from '../../base/index.ts';
import { runText } from '../sql/dialect.ts';
import { addColumns, createIndex, createTable, type AnyDatabase } from '../sql/schema.ts';
import type { Migration } from './migration.ts';

const PAGE = 200;
/** Names beyond these, the newest first, are left out: a reader bounds the line of an image. */
const MAX_NAMES = 1000;

/**
 * What is known of a digest stands in one document in the form of the ledger's export, which decisions and replays read. It is made
 * here from scans, findings, triage and proofs; whatever changes one of them makes it again.
 */
export const imageFacts: Migration = {
  name: '0032-image-facts',
  release: '1.3.1',
  summary: 'The facts of each image as one document',
  async up(db) {
    await addColumns(db, 'ledger_shapes', {
      subresource: 'text',
      platform: 'text',
      clock_suspect: 'integer!=0',
    });
    // `platforms`: the images of an index, as JSON; `missing`: how many of them that nodes run have no scan.
    await addColumns(db, 'images', {
      facts_version: 'integer!=0',
      facts: 'text',
      platforms: 'text',
      missing: 'integer!=0',
    });
    await createIndex(db, 'images', ['digest'], { name: 'images_missing', where: 'missing > 0' });
    await addColumns(db, 'findings', { platforms: 'text', rated_by: 'text', place: 'integer' });
    await addColumns(db, 'scans', { places: 'text' });
    await createTable(
      db,
      'advisories',
      {
        cve: 'text!',
        rated_by: 'text!',
        title: 'text',
        url: 'text',
        cvss_version: 'text',
        cvss_score: 'integer',
        cvss_vector: 'text',
      },
      { key: ['cve', 'rated_by'], clustered: true },
    );
    await addColumns(db, 'scan_queue', { done: 'text' });
    await createTable(
      db,
      'scan_platforms',
      {
        digest: 'text!',
        platform: 'text!',
        image: 'text',
        scanner: 'text',
        scanner_version: 'text',
        db_updated_at: 'integer',
        scanned_at: 'integer',
        recorded_at: 'integer!',
        os_family: 'text',
        os_name: 'text',
        os_eosl: 'integer',
      },
      { key: ['digest', 'platform'] },
    );
    await createIndex(db, 'scan_platforms', ['image'], { name: 'scan_platforms_image' });
    await createTable(
      db,
      'node_platforms',
      { cluster: 'text!', platform: 'text!', seen_at: 'integer!' },
      { key: ['cluster', 'platform'] },
    );
    let last = '';
    for (;;) {
      const page = await runText<Proofs>(
        db,
        `select i.digest, p.digest as proved, p.signatures, p.attestations, p.provenance, p.vex
         from images i left join image_proofs p on p.digest = i.digest where i.digest > ? order by i.digest limit ${PAGE}`,
        [last],
      );
      if (page.length === 0) return;
      for (const image of page) {
        const facts = await factsOf(db, image);
        if (facts !== null)
          await runText(db, 'update images set facts = ?, facts_version = 1 where digest = ?', [
            facts,
            image.digest,
          ]);
      }
      last = page.at(-1)?.digest ?? last;
    }
  },
};

interface Proofs {
  readonly digest: string;
  readonly proved: string | null;
  readonly signatures: string | null;
  readonly attestations: string | null;
  readonly provenance: string | null;
  readonly vex: string | null;
}

interface Scan {
  readonly id: number;
  readonly scanned_at: number | null;
  readonly scanner: string | null;
  readonly scanner_version: string | null;
  readonly db_updated_at: number | null;
  readonly os_family: string | null;
  readonly os_name: string | null;
  readonly os_eosl: number | null;
}

interface Finding {
  readonly cve: string;
  readonly fixed: string | null;
  readonly installed: string;
  readonly known_exploited: number | null;
  readonly package: string;
  readonly severity: string;
}

/** Null when nothing was recorded of the digest. */
async function factsOf(db: AnyDatabase, proofs: Proofs): Promise<string | null> {
  const { digest } = proofs;
  const [scan] = await runText<Scan>(
    db,
    `select id, scanned_at, scanner, scanner_version, db_updated_at, os_family, os_name, os_eosl
     from scans where digest = ? and current = 1`,
    [digest],
  );
  if (scan === undefined && proofs.proved === null) return null;
  const names = await runText<{ name: string }>(
    db,
    `select name from image_names where digest = ? order by last_seen_at desc, name limit ${MAX_NAMES}`,
    [digest],
  );
  const list = (text: string | null): unknown => (text === null ? null : JSON.parse(text));
  return JSON.stringify({
    digest,
    names: names.map(({ name }) => name).toSorted(byCodeUnit),
    scan: scan === undefined ? null : await scanOf(db, digest, scan),
    attestations: list(proofs.attestations),
    provenance: list(proofs.provenance),
    signatures: list(proofs.signatures),
    vex: list(proofs.vex),
  });
}

async function scanOf(db: AnyDatabase, digest: string, scan: Scan): Promise<unknown> {
  const triage = new Map<string, number>();
  for (const { cve, until } of await runText<{ cve: string; until: number }>(
    db,
    `select cve, max(case when ended_at < "until" then ended_at else "until" end) as "until"
     from triage where digest = ? group by cve`,
    [digest],
  ))
    triage.set(cve, until);
  const findings = await runText<Finding>(
    db,
    'select cve, fixed, installed, known_exploited, package, severity from findings where scan_id = ? order by ordinal',
    [scan.id],
  );
  return {
    scanned_at: timeOf(scan.scanned_at),
    scanner:
      scan.scanner === null
        ? null
        : {
            name: scan.scanner,
            version: scan.scanner_version ?? '',
            db_updated_at: timeOf(scan.db_updated_at),
          },
    findings: findings.map((finding) => ({
      cve: finding.cve,
      fixed: finding.fixed,
      installed: finding.installed,
      known_exploited: finding.known_exploited === null ? null : finding.known_exploited === 1,
      package: finding.package,
      severity: finding.severity,
      triaged_until: timeOf(triage.get(finding.cve) ?? null),
    })),
    os:
      scan.os_family === null
        ? null
        : { eosl: scan.os_eosl === 1, family: scan.os_family, name: scan.os_name ?? '' },
  };
}

function timeOf(at: number | null): string | null {
  return at === null ? null : formatTime(at);
}
