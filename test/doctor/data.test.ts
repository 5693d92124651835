import assert from 'node:assert/strict';
import { generateKeyPairSync, randomBytes } from 'node:crypto';
import {
  chmodSync,
  cpSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
  closeSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { tmpdir } from 'node:os';
import { after, suite, test, type TestContext } from 'node:test';
import Database from 'better-sqlite3';
import { dataFacts, type DataLooks } from '../../src/app/doctor/data-facts.ts';
import { DATA_CHECKS, examine, type CheckResult, type State } from '../../src/doctor/index.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';
import { runMigrations } from '../../src/store/engine/plan.ts';
import { makeCertificate, withoutOpenssl } from '../app/certificate.ts';
import { oneRow } from '../app/one-row.ts';
import { scratchDirectory, startRunning } from '../app/running.ts';
import { ipo } from '../cli/fake-terminal.ts';
import { policyOf } from '../configuration/world.ts';
import { DOCUMENTS } from '../channels/documents.ts';
import { holdsFault, wrong } from './seeded.ts';

const DATA_KEY = randomBytes(32).toString('base64');
const ENV = { DATA_KEY, IPO_LISTEN: '127.0.0.1:0' };

/** Seed spoils a directory; it gives what the environment, the looks at the machine, or the time are then. */
interface Seeded {
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly looks?: Partial<DataLooks>;
  readonly at?: number;
  readonly data?: string;
}
type Seed = (directory: string, t: TestContext) => Seeded | void | Promise<Seeded | void>;

const sqlOf = (directory: string, text: string): void => {
  const database = new Database(join(directory, 'ipo.db'));
  database.exec(text);
  database.close();
};
const GIB = 1024 ** 3;

const FAULTS: readonly (readonly [
  string,
  Seed,
  string,
  Exclude<State, 'ok'>,
  RegExp,
  (readonly string[])?,
])[] = [
  ['settings wrong', () => ({ env: { IPO_LISTEN: 'nowhere' } }), 'settings.valid', 'fail', /IPO_LISTEN/],
  ['directory missing', (d) => ({ data: join(d, 'none') }), 'data.directory', 'fail', /is missing/],
  [
    'directory is a file',
    (d) => ({ data: join(d, 'ledger-key.pem') }),
    'data.directory',
    'fail',
    /not a directory/,
  ],
  [
    'data directory of another user',
    (d) => ({ looks: { user: () => statSync(d).uid + 1 } }),
    'data.directory',
    'fail',
    /belongs to the user/,
  ],
  ['directory open to everybody', (d) => chmodSync(d, 0o755), 'data.directory', 'warn', /everybody/],
  ['disk full', () => ({ looks: { freeBytes: async () => 1024 } }), 'data.space', 'fail', /disk is full/],
  [
    'disk nearly full',
    () => ({ looks: { freeBytes: async () => GIB / 2 } }),
    'data.space',
    'warn',
    /nearly full/,
  ],
  ['database missing', (d) => rmSync(join(d, 'ipo.db')), 'database.opens', 'fail', /is missing/],
  [
    'database is not one',
    (d) =>
      writeFileSync(join(d, 'ipo.db'), 'nothing of the kind, but long enough to be looked at'.repeat(50)),
    'database.opens',
    'fail',
    /cannot be read/,
  ],
  [
    'database server away',
    () => ({ env: { IPO_DATABASE_URL: 'postgres://ipo:secret@127.0.0.1:1/ipo' } }),
    'database.opens',
    'fail',
    /127\.0\.0\.1:1\/ipo/,
  ],
  [
    'database of a newer release',
    (d) => sqlOf(d, `insert into migrations (name, release, applied_at) values ('9999-later', '9.0.0', 1)`),
    'database.release',
    'fail',
    /newer release.*9\.0\.0/,
  ],
  [
    'database of an earlier release',
    async (d) => {
      rmSync(join(d, 'ipo.db'));
      await runMigrations(
        `sqlite:${join(d, 'ipo.db')}`,
        { begun() {}, applied() {} },
        { migrations: MIGRATIONS.slice(0, 20) },
      );
    },
    'database.release',
    'warn',
    /earlier release.*migrations are due/,
  ],
  ['pages damaged', damage, 'database.pages', 'fail', /damaged/, ['database.opens', 'ledger.key']],
  [
    'another database',
    (d) =>
      writeFileSync(
        join(d, 'database.json'),
        JSON.stringify({ installation: 'aaaaaaaaaaaaaaaa', database: 'db.example.com/ipo' }),
      ),
    'database.belongs',
    'fail',
    /db\.example\.com/,
  ],
  ['key of the ledger missing', (d) => rmSync(join(d, 'ledger-key.pem')), 'ledger.key', 'fail', /not there/],
  [
    'key of the ledger unreadable',
    (d) => writeFileSync(join(d, 'ledger-key.pem'), 'nothing'),
    'ledger.key',
    'fail',
    /Ed25519/,
  ],
  [
    'key of the ledger replaced',
    (d) =>
      writeFileSync(
        join(d, 'ledger-key.pem'),
        generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }),
      ),
    'ledger.key',
    'fail',
    /another key/,
  ],
  [
    'key of the ledger open to everybody',
    (d) => chmodSync(join(d, 'ledger-key.pem'), 0o644),
    'ledger.key',
    'warn',
    /everybody/,
  ],
  ['clock behind the ledger', () => ({ at: Date.now() - 86_400_000 }), 'ledger.clock', 'fail', /behind/],
  [
    'rows in the spool',
    (d) => writeFileSync(join(d, 'spool', 'spool-000000000001.log'), 'x'.repeat(90)),
    'spool.empty',
    'warn',
    /90 bytes/,
  ],
  [
    'spool that cannot be listed',
    (d) => {
      rmSync(join(d, 'spool'), { recursive: true });
      writeFileSync(join(d, 'spool'), '');
    },
    'spool.empty',
    'fail',
    /cannot be listed/,
  ],
  [
    'DATA_KEY not set',
    () => ({ env: { DATA_KEY: undefined } }),
    'keys.data-key',
    'fail',
    /key of 1 stored credential$/,
  ],
  [
    'DATA_KEY replaced',
    () => ({ env: { DATA_KEY: randomBytes(32).toString('base64') } }),
    'keys.data-key',
    'fail',
    /does not open 1 of 1/,
  ],
  [
    'policy invalid',
    (d) =>
      sqlOf(
        d,
        `update policies set document = '{"apiVersion":"ipo.dev/v1","kind":"ImagePolicy","metadata":{"name":"base"},"spec":{"runtime":{}}}'`,
      ),
    'policies.valid',
    'fail',
    /base.*spec\.runtime/,
  ],
  [
    'port taken',
    async (_d, t) => ({ env: { IPO_LISTEN: `127.0.0.1:${await taken(t)}` } }),
    'listen.port',
    'fail',
    /EADDRINUSE/,
  ],
  [
    'certificate of the API not there',
    (d) => ({ env: { IPO_TLS_CERT_FILE: join(d, 'no.crt'), IPO_TLS_KEY_FILE: join(d, 'no.key') } }),
    'listen.tls',
    'fail',
    /no\.crt/,
  ],
  [
    'proxy wrong',
    () => ({ env: { IPO_OUTBOUND_PROXY: 'http://ipo:secret@127.0.0.1:1' } }),
    'outbound.proxy',
    'fail',
    /127\.0\.0\.1:1: ECONNREFUSED/,
  ],
  [
    'authorities that are none',
    (d) => {
      writeFileSync(join(d, 'ca.pem'), 'nothing');
      return { env: { IPO_OUTBOUND_CA_FILE: join(d, 'ca.pem') } };
    },
    'outbound.ca-file',
    'fail',
    /ca\.pem/,
  ],
];

suite('the directory of a service that does not run', () => {
  const sound = mkdtempSync(join(tmpdir(), 'ipo-doctor-'));
  after(() => rmSync(sound, { recursive: true, force: true }));

  test('is what a service left behind', async (t) => {
    const running = await startRunning(t, { env: { DATA_KEY } });
    const administrator = running.as('administrator');
    await administrator.json('POST /policies', { body: policyOf('base') });
    await administrator.json('POST /channels', { body: { ...DOCUMENTS.github, enabled: false } });
    await running.service.append.append(oneRow('6f7b8c1e-0000-4000-8000-00000000000a'));
    await running.service.checkpoint();
    await running.service.close(0);
    cpSync(running.data, sound, { recursive: true });
  });

  const examined = async (t: TestContext, seed: Seed = () => undefined) => {
    const directory = join(scratchDirectory(t), 'data');
    cpSync(sound, directory, { recursive: true });
    chmodSync(directory, 0o700);
    const {
      env = {},
      looks = {},
      at = Date.now() + 1000,
      data = directory,
    } = (await seed(directory, t)) ?? {};
    const all = { freeBytes: async () => 100 * GIB, user: () => process.getuid?.() ?? null, ...looks };
    return examine(DATA_CHECKS, 'data', await dataFacts({ data }, { ...ENV, ...env }, all), at);
  };

  test('that is sound has no check that warns or fails, and is left as it was', async (t) => {
    const checks = await examined(t);
    assert.deepEqual(wrong(checks), []);
    assert.ok(checks.length >= 12, String(checks.length));
  });

  for (const [fault, seed, id, state, says, also] of FAULTS)
    test(`data: ${fault} is named by ${id}`, async (t) => {
      const checks = await examined(t, seed);
      holdsFault(checks, fault, id, state, says, also);
      assert.ok(!JSON.stringify(checks).includes('secret'), 'no password is shown');
    });

  test('a settings file that is not there has the hint to check its path', async (t) => {
    const facts = await dataFacts({ config: join(scratchDirectory(t), 'none.yaml') }, {});
    const [first] = examine(DATA_CHECKS, 'data', facts, Date.now());
    assert.equal(first?.id, 'settings.valid');
    assert.match(first.message, /none\.yaml: no such file or directory$/);
    assert.match(first.hint ?? '', /^Check the path/);
  });

  const oksOf = (checks: readonly CheckResult[]) =>
    checks.filter((one) => one.state === 'ok').map((one) => one.id);
  for (const [what, seed] of [
    ['is missing', (d: string) => ({ data: join(d, 'none') })],
    ['is a file', (d: string) => ({ data: join(d, 'ledger-key.pem') })],
  ] as const)
    test(`a directory that ${what} has no check of its contents that is ok`, async (t) => {
      assert.deepEqual(oksOf(await examined(t, seed)), ['settings.valid', 'listen.port']);
    });

  test('a database that cannot be read has no policies that are valid', async (t) => {
    const without = await examined(t, (d) => rmSync(join(d, 'ipo.db')));
    assert.ok(!oksOf(without).includes('policies.valid'), JSON.stringify(without));
  });

  test('a certificate of the API that ends soon is warned of', { skip: withoutOpenssl }, async (t) => {
    const { cert, key } = makeCertificate(scratchDirectory(t), 'soon');
    const checks = await examined(t, () => ({ env: { IPO_TLS_CERT_FILE: cert, IPO_TLS_KEY_FILE: key } }));
    holdsFault(checks, 'certificate ends soon', 'listen.tls', 'warn', /ends at/);
  });

  test('every check of a directory is seeded with a fault', () => {
    const seeded = new Set(FAULTS.map(([, , id]) => id));
    const left = DATA_CHECKS.map(({ id }) => id).filter((id) => !seeded.has(id));
    // A lock is no fault; root writes to any file, so that of a read-only database is seeded below.
    assert.deepEqual(left, ['data.lock', 'database.writable']);
  });

  test('a database that takes no writes is named by database.writable', () => {
    const database = {
      name: 'ipo',
      engine: 'postgres',
      state: 'ok',
      detail: null,
      damage: null,
      bytes: null,
      other: null,
    } as const;
    const facts = {
      ...({
        settings: [],
        directory: null,
        running: false,
        ledger: null,
        dataKey: 'ok',
        policies: [],
      } as const),
      ...{ credentials: { sealed: 0, unreadable: 0 }, spooledBytes: 0 },
      ...{ tls: null, portFault: null, proxyFault: null, caFault: null },
    };
    const seen = { ...facts, database: { ...database, readOnly: 'the server is a standby' } };
    holdsFault(examine(DATA_CHECKS, 'data', seen, 1), 'standby', 'database.writable', 'fail', /standby/);
  });

  test('ipo doctor --data says why a service does not start, plans its upgrade, and writes a report without secrets', async (t) => {
    const directory = join(scratchDirectory(t), 'data');
    cpSync(sound, directory, { recursive: true });
    chmodSync(directory, 0o700);
    const doctor = (...more: readonly string[]) =>
      ipo(['doctor', '--data', directory, ...more], { env: ENV });
    const well = await doctor('--all');
    assert.deepEqual([well.code, well.err], [0, ''], well.out);
    assert.match(well.out, /^✓ settings\.valid: the settings are valid$/m);
    const upgrade = await doctor('--for', '1.3.7', '-o', 'json');
    assert.match(upgrade.out, /"id":"upgrade\.direction","state":"ok"/);
    const back = await doctor('--for', '1.0.0');
    assert.equal(back.code, 1);
    assert.match(back.out, /upgrade\.direction: 1\.0\.0 is older than/);
    assert.equal((await doctor('--for', '9.9.9')).code, 1, 'no such release');
    rmSync(join(directory, 'ledger-key.pem'));
    const marks: string[] = (await doctor('--all')).out.match(/^[✓!✗]/gm) ?? [];
    assert.deepEqual(
      marks,
      marks.toSorted((a, b) => '✗!✓'.indexOf(a) - '✗!✓'.indexOf(b)),
      'the worst first',
    );
    assert.ok(marks.includes('✗') && marks.includes('✓'));
    const short = (await doctor('-o', 'markdown')).out;
    assert.doesNotMatch(short, /^\| `ok`/m, 'only what is wrong');
    assert.match((await doctor('-o', 'markdown', '--all')).out, /\| `fail`[^]*\| `ok`/);
    const bundle = join(directory, 'report.json');
    const failed = await ipo(['doctor', '--data', directory, '--bundle', bundle], {
      env: { ...ENV, IPO_OUTBOUND_PROXY: 'http://ipo:hidden-word@proxy.example.com:3128' },
    });
    assert.equal(failed.code, 1);
    assert.match(failed.out, /ledger\.key: .*the key that signed the ledger is not there\n/);
    const report = readFileSync(bundle, 'utf8');
    assert.equal(JSON.parse(report).format, 'ipo-doctor-1');
    for (const secret of ['hidden-word', 'proxy.example.com', DATA_KEY])
      assert.ok(!report.includes(secret), secret);
    assert.match(report, /host-1/);
  });
});

/** Overwrites the middle of the file, where the pages of tables are. */
function damage(directory: string): void {
  const file = join(directory, 'ipo.db');
  const database = new Database(file);
  database.pragma('wal_checkpoint(TRUNCATE)');
  const { rootpage } = database
    .prepare(`select rootpage from sqlite_master where name = 'audit_log' or name = 'audit'`)
    .get() as { rootpage: number };
  const size = database.pragma('page_size', { simple: true }) as number;
  database.close();
  const handle = openSync(file, 'r+');
  writeSync(handle, Buffer.alloc(size, 0xff), 0, size, (rootpage - 1) * size);
  closeSync(handle);
}

async function taken(t: TestContext): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => server.close());
  return (server.address() as { port: number }).port;
}
