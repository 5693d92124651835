import { changeTotals, type CountedFinding } from '../../src/store/findings/cve-totals.ts';
import { connect } from '../../src/store/engine/connect.ts';
import { insertMany, runText, type Cell } from '../../src/store/sql/dialect.ts';
import { rebuildFacts } from '../../src/store/facts/facts.ts';
import { parseLocation } from '../../src/store/engine/location.ts';
import { migrate } from '../../src/store/engine/migrate.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import type { AnyDatabase } from '../../src/store/sql/schema.ts';
import { DAY, digestOf, insertLedger, SEEDED, seedRows } from './release-ledger.ts';

/** RELEASES are those that brought migrations, before the newest. */
export const RELEASES = [...new Set(MIGRATIONS.map(({ release }) => release))].slice(0, -1);

/** levelOf gives the number of the last migration of a release. */
export function levelOf(release: string): number {
  return MIGRATIONS.findLastIndex((migration) => migration.release === release) + 1;
}

/** ROWS is how many ledger rows a seeded database has. */
export const ROWS = 240;

/** NOW is the clock of every upgrade in the tests, so that two of them leave the same bytes. */
export const NOW = Date.UTC(2026, 10, 1);

/** openRaw opens a database without migrating it. */
export async function openRaw(url: string): Promise<AnyDatabase> {
  return connect<never>(parseLocation(url), { readOnly: false, mustExist: false, poolSize: 1 });
}

/** migrateTo brings a database to the schema after a number of migrations. */
export async function migrateTo(db: AnyDatabase, level: number): Promise<void> {
  await migrate(db, {
    database: 'the database',
    migrations: MIGRATIONS.slice(0, level),
    now: () => NOW,
    wait: 10_000,
  });
}

/** makeRelease makes a database as a release left it after some time of use. */
export async function makeRelease(url: string, release: string): Promise<void> {
  return makeLevel(url, levelOf(release));
}

/** makeLevel makes a database as it stands after a number of migrations, filled as the last release up to there left it. */
export async function makeLevel(url: string, last: number): Promise<void> {
  const db = await openRaw(url);
  try {
    const level = Math.min(last, levelOf(RELEASES.at(-1) ?? ''));
    await migrateTo(db, level);
    await db.transaction().execute((transaction) => seed(transaction, level));
    await migrateTo(db, last);
  } finally {
    await db.destroy();
  }
}

type Row = Readonly<Record<string, Cell>>;

async function insert(db: AnyDatabase, table: string, rows: readonly Row[]): Promise<void> {
  for (const row of rows) {
    const columns = Object.keys(row);
    await runText(
      db,
      `insert into ${table} (${columns.map((name) => `"${name}"`).join(', ')}) values (${columns.map(() => '?').join(', ')})`,
      Object.values(row),
    );
  }
}

/** seed fills the tables of a schema in the way of its time. */
export async function seed(db: AnyDatabase, level: number): Promise<void> {
  await seedPeople(db, level);
  await seedPolicies(db, level);
  await seedImages(db, level);
  await seedChannels(db, level);
  await insertLedger(db, seedRows(ROWS), level);
  if (level >= 16) await seedRuntime(db, level);
  if (level >= 32) await workOut(db);
}

/** From 1.3.1 on the program keeps what follows from scans as it records them. */
async function workOut(db: AnyDatabase): Promise<void> {
  const scans = await runText<{ id: number }>(db, 'select id from scans where current = 1 order by id', []);
  for (const { id } of scans)
    await changeTotals(
      db,
      [],
      await runText<CountedFinding>(db, 'select * from findings where scan_id = ? order by ordinal', [id]),
    );
  for (let image = 0; image < 7; image += 1) await rebuildFacts(db, digestOf(image));
  await runText(
    db,
    `update triage set severity = (
       select f.severity from findings f join scans s on s.id = f.scan_id
       where s.digest = triage.digest and f.cve = triage.cve order by f.rank desc, f.ordinal limit 1
     )`,
    [],
  );
}

async function seedPeople(db: AnyDatabase, level: number): Promise<void> {
  const account = (id: string, name: string | null, role: string): Row => ({
    id,
    email: `${id}@example.com`,
    name,
    role,
    password_hash: '$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA',
    created_at: SEEDED,
  });
  await insert(db, 'accounts', [
    account('aaaaaaaaaaaaaaaa', 'Ada', 'administrator'),
    account('bbbbbbbbbbbbbbbb', 'Kim', 'deployer'),
    account('cccccccccccccccc', 'Kim', 'viewer'),
    account('dddddddddddddddd', null, 'viewer'),
  ]);
  await insert(db, 'sessions', [
    {
      id_hash: Buffer.alloc(32, 7),
      account_id: 'aaaaaaaaaaaaaaaa',
      created_at: SEEDED,
      used_at: SEEDED,
      expires_at: SEEDED + DAY,
    },
  ]);
  await insert(db, 'settings', [{ key: 'installation_id', value: 'f00dfeed' }]);
  const acts = ['Ada', 'Kim', 'dddddddddddddddd@example.com', 'somebody who left', 'Ada'];
  await insert(
    db,
    'audit',
    acts.map((actor, i) => ({
      at: SEEDED + i,
      actor,
      action: 'policy_update',
      target: 'baseline',
      path: 'PUT /policies/baseline',
      detail: `{"by":${JSON.stringify(actor)}}`,
      ...(level >= 23 ? { actor_id: actor === 'Ada' ? 'aaaaaaaaaaaaaaaa' : null } : {}),
    })),
  );
}

/** BASELINE is a policy that every release can read; until 1.3.1 it had a field of runtime blocks. */
export const BASELINE = {
  apiVersion: 'ipo.dev/v1',
  kind: 'ImagePolicy',
  metadata: { name: 'baseline' },
  spec: { enforcement: 'Enforce', severityThreshold: 'HIGH', targetNamespaces: ['shop'] },
};

async function seedPolicies(db: AnyDatabase, level: number): Promise<void> {
  const runtime = { ...BASELINE, spec: { ...BASELINE.spec, runtime: { block: true } } };
  const policy = (name: string, value: unknown): Row => ({
    name,
    document: JSON.stringify(value),
    created_at: SEEDED,
    updated_at: SEEDED + 5,
    updated_by: 'Ada',
    ...(level >= 7 ? { revision: `recorded revision of ${name}`, version: 3 } : {}),
  });
  const rows = [
    policy('baseline', level >= 21 && level < 31 ? runtime : BASELINE),
    policy('strange', { kind: 'SomethingElse', note: 'ü' }),
  ];
  await insert(db, 'policies', rows);
  if (level < 7) return;
  await insert(
    db,
    'policy_revisions',
    rows.map(({ name, document, revision }) => ({
      name: name ?? '',
      revision: revision ?? '',
      document: document ?? '',
      recorded_at: SEEDED + 5,
      recorded_by: 'Ada',
    })),
  );
}

const SEVERITIES = ['CRITICAL', 'HIGH', 'MEDIUM', 'LOW', 'UNKNOWN'];

/** Seven images: of each an older and a newer scan, of the last a failed one alone, of the one before none. */
async function seedImages(db: AnyDatabase, level: number): Promise<void> {
  for (let image = 0; image < 7; image += 1) {
    const digest = digestOf(image);
    await insert(db, 'images', [{ digest, first_seen_at: SEEDED + image }]);
    await insert(db, 'image_names', [
      { digest, name: `registry.example.com/app-${image}:1.${image}`, last_seen_at: SEEDED + 2 },
      { digest, name: `registry.example.com/app-${image}:latest`, last_seen_at: SEEDED + 1 },
    ]);
    if (image < 5) await seedScan(db, level, image, 1);
    if (image < 5 && level < 27) await seedScan(db, level, image, 0);
    if (image === 6) await seedScan(db, level, image, 2);
    if (level >= 19 && image < 3)
      await insert(db, 'image_proofs', [
        {
          digest,
          signatures: '[{"identity":"ci@example.com","issuer":null}]',
          attestations: '[]',
          provenance: null,
          vex: null,
        },
      ]);
  }
  await insert(db, 'scan_queue', [
    { digest: digestOf(5), requested_at: SEEDED, requested_by: 'Kim', attempts: 1, last_error: 'no layer' },
  ]);
  await insert(
    db,
    'triage',
    ['Ada', 'Kim', 'dddddddddddddddd@example.com'].map((by, i) => ({
      digest: digestOf(i),
      cve: 'CVE-2026-0001',
      reason: 'not reachable',
      triaged_by: by,
      created_at: SEEDED,
      until: SEEDED + 90 * DAY + i,
      ...(level >= 23 ? { account_id: by === 'Ada' ? 'aaaaaaaaaaaaaaaa' : null } : {}),
    })),
  );
}

/** `turn` 0 is the older scan, 1 the newer one, 2 a failed one. */
async function seedScan(db: AnyDatabase, level: number, image: number, turn: 0 | 1 | 2): Promise<void> {
  const digest = digestOf(image);
  const os = image % 2 === 0 ? { os_family: 'debian', os_name: '12', os_eosl: 0 } : {};
  const [scan] = await runText<{ id: number }>(
    db,
    `insert into scans (digest, scanner, scanned_at, recorded_at, complete) values (?, ?, ?, ?, ?) returning id`,
    [
      digest,
      level >= 12 ? 'trivy' : 'trivy/0.69.3',
      SEEDED + turn * DAY,
      SEEDED + turn * DAY,
      turn === 2 ? 0 : 1,
    ],
  );
  const id = scan?.id ?? 0;
  const set: Record<string, Cell> = {
    ...(level >= 12 ? { scanner_version: '0.70.0', db_updated_at: SEEDED - DAY } : {}),
    ...(level >= 17 ? os : {}),
    ...(level >= 27 ? { current: turn === 1 ? 1 : 0 } : {}),
  };
  for (const [column, value] of Object.entries(set))
    await runText(db, `update scans set "${column}" = ? where id = ?`, [value, id]);
  if (level >= 27 && turn !== 1) return;
  const findings = Array.from({ length: 4 + image }, (_, i): Cell[] => [
    id,
    i,
    `CVE-2026-000${(i % 4) + 1}`,
    SEVERITIES[(i + image) % 5] ?? 'LOW',
    i === 3 ? 'ÄPFEL' : `lib${i}`,
    '1.0',
    i % 2 === 0 ? `1.${turn}` : null,
    ...(level >= 18 ? [i % 3 === 0 ? 1 : 0] : []),
    ...(level >= 28 ? [4 - ((i + image) % 5)] : []),
  ]);
  await insertMany(
    db,
    'findings',
    {
      scan_id: 'integer',
      ordinal: 'integer',
      cve: 'text',
      severity: 'text',
      package: 'text',
      installed: 'text',
      fixed: 'text',
      ...(level >= 18 ? { known_exploited: 'integer' } : {}),
      ...(level >= 28 ? { rank: 'integer' } : {}),
    },
    findings,
  );
}

async function seedChannels(db: AnyDatabase, level: number): Promise<void> {
  const channel = (id: string, kind: string, settings: unknown, i: number): Row => ({
    id,
    kind,
    name: `channel ${id}`,
    enabled: i % 2,
    settings: JSON.stringify(settings),
    subscriptions: '["critical_finding"]',
    // The second was made before the first.
    created_at: SEEDED + 10 - i,
    ...(level >= 13 ? { place: 10 - i } : {}),
  });
  const mail = { to: ['ops@example.com'], password: 'stored as before' };
  const tracker = {
    apiBaseUrl: 'https://api.github.com',
    defaultRepo: 'example/app',
    ...(level >= 15 ? {} : { token: 'plain-token' }),
  };
  await insert(db, 'channels', [channel('mail', 'email', mail, 0), channel('hub', 'github', tracker, 1)]);
  if (level >= 15)
    await insert(db, 'channel_credentials', [
      { channel_id: 'hub', field: 'token', value: 'plain-token', updated_at: SEEDED },
    ]);
}

async function seedRuntime(db: AnyDatabase, level: number): Promise<void> {
  const event = {
    at: SEEDED,
    rule: 'Shell in container',
    priority: 'Critical',
    output: 'a shell',
    digest: digestOf(1),
  };
  await insert(db, level >= 22 ? 'runtime_events' : 'runtime_alerts', [event, { ...event, at: SEEDED + 1 }]);
  if (level < 21) return;
  const rule = (name: string, action: string, place: number): Row => ({
    place,
    name,
    match: '{"rules":["Shell in container"]}',
    count: 3,
    duration_ms: 60_000,
    action,
    created_at: SEEDED,
    created_by: 'Ada',
    updated_at: SEEDED,
    ...(level >= 23 ? { account_id: 'aaaaaaaaaaaaaaaa' } : {}),
  });
  const blocking = level < 31 ? 'block' : 'notify';
  await insert(db, 'runtime_rules', [
    rule('Shells!', blocking, 1),
    rule('shells', blocking, 2),
    rule('Others', 'record', 3),
  ]);
  if (level >= 31) return;
  const block = { digest: digestOf(1), rule: 'Shells!', opened_at: SEEDED, last_event_at: SEEDED + 5 };
  const by = level >= 23 ? { released_by_id: 'aaaaaaaaaaaaaaaa' } : {};
  await insert(db, 'runtime_blocks', [
    {
      ...block,
      released_at: SEEDED + 9,
      released_by: 'Ada',
      reason: 'false_positive',
      note: 'a drill',
      ...by,
    },
    { ...block, released_at: SEEDED + 10 },
    { ...block },
  ]);
}
