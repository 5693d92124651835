import assert from 'node:assert/strict';
import { test, type TestContext } from 'node:test';
import { formatTime, Secret } from '../../src/base/index.ts';
import { decide } from '../../src/decision/index.ts';
import { NO_FACTS, type ImageFacts } from '../../src/facts/index.ts';
import { parseReference, RegistryError, type Keychain } from '../../src/image/index.ts';
import { CLAIM_MS, MAX_ATTEMPTS } from '../../src/scan/index.ts';
import { Rescans } from '../../src/scan/rescans.service.ts';
import { ScanGate } from '../../src/scan/scan-gate.ts';
import type { ScanReport } from '../../src/scan/index.ts';
import { ScannerError } from '../../src/scan/scanner-error.ts';
import type { Scanner, ScanOrder } from '../../src/scan/scanner-ports.ts';
import { ScanWorker, type ScanWorkerDeps } from '../../src/scan/index.ts';
import { readFacts } from '../../src/store/facts/facts.ts';
import { rescanStore } from '../../src/store/scans/rescans.ts';
import { scanQueue } from '../../src/store/scans/queue.ts';
import { forgiveAttempt, scanSubjects } from '../../src/store/scans/subjects.ts';
import { recordScan, scanStore } from '../../src/store/scans/scans.ts';
import type { Store } from '../../src/store/sql/store.ts';
import { vulnerabilityDatabaseStore } from '../../src/store/scans/vulnerability-db.ts';
import { keptLog } from '../api/service.ts';
import { policyOf, toSpec } from '../decision/arbitraries.ts';
import { forEachEngine, type TestEngine } from '../store/engines.ts';
import { append, AT, digestOf, finding, rowsOf, scanOf } from '../store/image-records.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const DB_AT = AT - HOUR;

type Answer = ScanReport | Error | (() => Promise<ScanReport>);

/** A scanner that answers as it is told for each digest, and clean where it is told nothing. */
function scannerOf(answers: Map<string, Answer> = new Map()): Scanner & { readonly orders: ScanOrder[] } {
  const orders: ScanOrder[] = [];
  return {
    name: 'trivy',
    orders,
    async scan(order) {
      orders.push(order);
      const digest = order.reference.digest ?? '';
      const answer =
        answers.get(`${order.reference.name}@${digest}`) ?? answers.get(digest) ?? reportOf(digest);
      if (answer instanceof Error) throw answer;
      return typeof answer === 'function' ? answer() : answer;
    },
    state: async () => ({ version: '0.72.0', updatedAt: DB_AT }),
    refresh: async () => ({ version: '0.72.0', updatedAt: DB_AT }),
  };
}

function reportOf(digest: string, more: Partial<ScanReport['scan']> = {}): ScanReport {
  return {
    ...{ file: 'trivy', artifact: `ghcr.io/acme/web@${digest}`, type: 'container_image', names: [] },
    ...{ digests: [{ name: 'ghcr.io/acme/web', digest }], imageId: null, source: null },
    scan: scanOf([], {
      scannedAt: null,
      scanner: { name: 'trivy', version: '0.72.0', dbUpdatedAt: formatTime(DB_AT) },
      ...more,
    }),
  };
}

interface Given {
  readonly worker: ScanWorker;
  readonly store: Store;
  readonly queue: ReturnType<typeof scanQueue>;
  readonly log: ReturnType<typeof keptLog>;
  readonly counted: Map<string, number>;
  readonly gate: ScanGate;
  /** Begins what waits and waits until it has ended. */
  all(): Promise<void>;
}

async function workerOf(
  engine: TestEngine,
  t: TestContext,
  scanner: Scanner,
  clock: { at: number },
  more: Partial<ScanWorkerDeps> & { readonly given?: Store } = {},
): Promise<Given> {
  const store = more.given ?? (await engine.open(t));
  const queue = scanQueue(store);
  const log = keptLog();
  const counted = new Map<string, number>();
  const gate = new ScanGate();
  const worker = new ScanWorker({
    ...{
      queue,
      scans: scanStore(store),
      subjects: scanSubjects(store),
      scanner,
      keychain: null,
      rescans: null,
    },
    ...{ gate, atOnce: 2, clock: { now: () => clock.at }, log, took: () => {} },
    together: (act) => store.write(act),
    forgive: forgiveAttempt(store),
    count: {
      add: (_, { outcome } = {}) =>
        outcome === undefined ? undefined : void counted.set(outcome, (counted.get(outcome) ?? 0) + 1),
    },
    ...more,
  });
  const all = async (): Promise<void> => {
    await worker.run();
    await worker.idle();
  };
  return { worker, store, queue, log, counted, gate, all };
}

async function seen(store: Store, count: number, image = 'ghcr.io/acme/web:1'): Promise<string[]> {
  const digests = Array.from({ length: count }, (_, n) => digestOf(n + 1));
  await append(
    store,
    digests.map((digest) => ({ digest, image })),
  );
  return digests;
}

const queueRows = (store: Store) =>
  rowsOf(
    store,
    `select q.digest, q.attempts, not_before, claimed_at, reason, message from scan_queue q
     left join scan_failures f on f.digest = q.digest order by q.digest`,
  );
const scanRows = (store: Store) =>
  rowsOf(
    store,
    'select digest, scanner, scanner_version, db_updated_at, scanned_at, complete, current from scans order by id',
  );

const POLICY = policyOf(toSpec({ enforcement: 'Enforce', admissionTiming: 'DenyUntilScanned' }));
const SUBJECT = {
  ...{ signals: null, exposedBy: null, quota: null, breakGlass: null },
  coldImagePolicy: 'AllowAndScan' as const,
};

forEachEngine('the worker of scans', (engine) => {
  test('a waiting image is scanned by digest under the names that are known, and decisions use it', async (t) => {
    const clock = { at: AT };
    const scanner = scannerOf();
    const { store, queue, counted, all } = await workerOf(engine, t, scanner, clock);
    const [a = '', b = ''] = await seen(store, 2);
    await queue.request([a, b], null, AT);
    assert.equal(await readFacts(store.read, a), null);
    clock.at = AT + 5000;
    await all();
    // Both are begun at once, so that either may come first.
    assert.equal(scanner.orders.length, 2);
    assert.deepEqual(
      new Set(
        scanner.orders.map(
          ({ reference, credential }) =>
            `${reference.name}@${reference.digest} as ${credential?.kind ?? null}`,
        ),
      ),
      new Set([`ghcr.io/acme/web@${a} as null`, `ghcr.io/acme/web@${b} as null`]),
    );
    assert.equal(await queue.size(), 0);
    const facts = await readFacts(store.read, a);
    assert.deepEqual(facts?.scan?.findings, []);
    assert.deepEqual(facts?.scan?.scanner, {
      name: 'trivy',
      version: '0.72.0',
      dbUpdatedAt: formatTime(DB_AT),
    });
    assert.equal(facts?.scan?.scannedAt, formatTime(AT + 5000));
    assert.deepEqual(facts?.names, ['ghcr.io/acme/web:1']);
    assert.deepEqual([...counted], [['done', 2]]);
  });

  test('a scan that fails or says nothing never looks clean, and waits longer each time', async (t) => {
    const clock = { at: AT };
    const answers = new Map<string, Answer>();
    const { store, queue, counted, all, log } = await workerOf(engine, t, scannerOf(answers), clock);
    const [a = '', b = '', c = '', d = ''] = await seen(store, 4);
    answers.set(a, new ScannerError('late', 'trivy was too slow'));
    answers.set(b, reportOf(b, { findings: null }));
    answers.set(c, reportOf(d)); // another image's
    answers.set(d, reportOf(d, { scannedAt: formatTime(AT + 30 * HOUR) }));
    await queue.request([a, b, c, d], null, AT);
    await all();
    for (const digest of [a, b, c, d])
      assert.equal((await readFacts(store.read, digest))?.scan ?? null, null);
    const rows = await queueRows(store);
    assert.deepEqual(
      rows.map(({ attempts, not_before, claimed_at, reason, message }) => [
        attempts,
        Number(not_before) - AT,
        claimed_at,
        reason,
        String(message).slice(0, 29),
      ]),
      [
        [1, MINUTE, null, 'timeout', 'trivy was too slow'],
        [1, 6 * HOUR, null, 'no_packages', 'the scanner found no packages'],
        [1, MINUTE, null, 'bad_report', 'the report is about sha256:00'],
        [1, MINUTE, null, 'bad_report', 'the report says that it was m'],
      ],
    );
    assert.deepEqual(
      (await scanRows(store)).map(({ digest, complete, current }) => [digest, complete, current]),
      [[b, 0, 0]],
    );
    assert.deepEqual(
      [...counted].toSorted(([one], [other]) => (one < other ? -1 : 1)),
      [
        ['failed', 3],
        ['incomplete', 1],
      ],
    );
    // Waits 1, 2, 4 … minutes, and is given up after eight.
    for (let attempt = 2; attempt <= MAX_ATTEMPTS; attempt += 1) {
      clock.at += 2 ** (attempt - 2) * MINUTE;
      await all();
    }
    assert.deepEqual(
      (await queueRows(store)).map(({ digest }) => digest),
      [b],
    );
    assert.equal(counted.get('given_up'), 3);
    const warned = log.lines.filter(({ level }) => level === 'warn');
    assert.deepEqual([warned.length, warned[0]?.keys['attempts']], [3, 8]);
  });

  test('a failed rescan leaves the scan that is in use', async (t) => {
    const clock = { at: AT + HOUR };
    const answers = new Map<string, Answer>();
    const { store, queue, all } = await workerOf(engine, t, scannerOf(answers), clock);
    const [a = ''] = await seen(store, 1);
    const found = scanOf([finding('CVE-2026-1', 'CRITICAL')], { scannedAt: formatTime(AT) });
    const record = { digest: a, names: [], source: null, scan: found, at: AT };
    await store.write((transaction) => recordScan(transaction, record));
    for (const answer of [new ScannerError('report', 'cut off'), reportOf(a, { findings: null })]) {
      answers.set(a, answer);
      await queue.request([a], 'somebody', clock.at);
      await all();
      const facts = await readFacts(store.read, a);
      assert.deepEqual(
        facts?.scan?.findings?.map(({ cve }) => cve),
        ['CVE-2026-1'],
      );
      clock.at += HOUR;
    }
  });

  test('a claim that a crash left is taken over, and a worker that comes too late writes nothing', async (t) => {
    const clock = { at: AT };
    const late = Promise.withResolvers<ScanReport>();
    const first = await workerOf(engine, t, scannerOf(new Map([[digestOf(1), () => late.promise]])), clock);
    const { store, queue } = first;
    const [a = ''] = await seen(store, 1);
    await queue.request([a], null, AT);
    await first.worker.run();
    assert.equal(first.worker.running, 1);

    const found = reportOf(a, { findings: [finding('CVE-2026-2', 'CRITICAL')] });
    const second = await workerOf(engine, t, scannerOf(new Map([[a, found]])), clock, { given: store });
    clock.at = AT + CLAIM_MS - 1;
    await second.all();
    assert.deepEqual([...second.counted], [], 'held');
    clock.at = AT + CLAIM_MS;
    await second.all();
    assert.deepEqual([...second.counted], [['done', 1]]);

    clock.at += MINUTE;
    late.resolve(reportOf(a)); // clean, and younger
    await first.worker.idle();
    assert.deepEqual([...first.counted], [['lost', 1]]);
    const facts = await readFacts(store.read, a);
    assert.deepEqual(
      facts?.scan?.findings?.map(({ cve }) => cve),
      ['CVE-2026-2'],
    );
    assert.equal((await scanRows(store)).length, 1);
  });

  test('a scan that ends the service each time is given up, and not begun for ever', async (t) => {
    const clock = { at: AT };
    const scanner = scannerOf();
    const { store, queue, counted, all } = await workerOf(engine, t, scanner, clock);
    const [a = ''] = await seen(store, 1);
    await queue.request([a], null, AT);
    for (let crash = 0; crash < MAX_ATTEMPTS; crash += 1) {
      assert.equal((await queue.claim(clock.at, clock.at - CLAIM_MS, 1)).length, 1);
      clock.at += CLAIM_MS;
    }
    await all();
    assert.deepEqual([scanner.orders.length, await queue.size(), counted.get('given_up')], [0, 0, 1]);
  });

  test('of several names each is asked, with each credential, until one has the image', async (t) => {
    const clock = { at: AT };
    const answers = new Map<string, Answer>();
    const scanner = scannerOf(answers);
    const keychain: Keychain = {
      credentialsFor: async ({ host }) =>
        host === 'ghcr.io'
          ? [1, 2].map((n) => ({ kind: 'password' as const, username: `u${n}`, password: new Secret('p') }))
          : [],
    };
    const { store, queue, all, counted } = await workerOf(engine, t, scanner, clock, { keychain });
    const [a = ''] = await seen(store, 1);
    await append(store, [
      { digest: a, image: `docker.io/acme/web@${a}`, at: AT - 5 * MINUTE },
      { digest: a, image: 'ghcr.io/acme/web:2', at: AT - 5 * MINUTE },
    ]);
    answers.set(`ghcr.io/acme/web@${a}`, new ScannerError('image', 'DENIED'));
    await queue.request([a], null, AT);
    await all();
    assert.deepEqual(
      scanner.orders.map(({ reference, credential }) => [
        reference.name,
        credential?.kind === 'password' ? credential.username : null,
      ]),
      [
        ['ghcr.io/acme/web', 'u1'],
        ['ghcr.io/acme/web', 'u2'],
        ['docker.io/acme/web', null],
      ],
    );
    assert.deepEqual([...counted], [['done', 1]]);
  });

  test('a place that is slow, or whose credential cannot be read, does not hide the others', async (t) => {
    const clock = { at: AT };
    const answers = new Map<string, Answer>();
    const keychain: Keychain = {
      credentialsFor: async ({ host }) => {
        if (host === 'kept.example.com') throw new RegistryError('credentials', 'a helper keeps it');
        return [];
      },
    };
    const scanner = scannerOf(answers);
    const { store, queue, all, counted } = await workerOf(engine, t, scanner, clock, { keychain });
    const [a = ''] = await seen(store, 1);
    const names = ['slow.example.com/web:1', 'kept.example.com/web:1'];
    await append(
      store,
      names.map((image, n) => ({ digest: a, image, at: AT + (n + 1) * MINUTE })),
    );
    answers.set(`slow.example.com/web@${a}`, new ScannerError('late', 'trivy was too slow'));
    await queue.request([a], null, AT);
    await all(); // the unreadable credential is passed over, the slow one ends the attempt
    assert.deepEqual([...counted], [['failed', 1]]);
    for (const _ of names) {
      clock.at += 10 * MINUTE;
      await all();
    }
    assert.deepEqual(counted.get('done'), 1);
    assert.equal(scanner.orders.at(-1)?.reference.name, 'ghcr.io/acme/web');
  });

  test('of an index the image is scanned that a node runs, and recorded for the index; a report of another is not', async (t) => {
    const clock = { at: AT };
    const [image, other] = [digestOf(901), digestOf(902)];
    const answers = new Map<string, Answer>();
    const scanner = scannerOf(answers);
    const imageOf = async () => ({ digest: image, platform: null });
    const { store, queue, all } = await workerOf(engine, t, scanner, clock, { imageOf });
    const [a = '', b = ''] = await seen(store, 2);
    await queue.request([a], null, AT);
    await all();
    assert.deepEqual(
      scanner.orders.map(({ reference }) => reference.text),
      [`ghcr.io/acme/web@${image}`],
    );
    assert.deepEqual((await readFacts(store.read, a))?.scan?.findings, []);
    assert.equal(await readFacts(store.read, image), null);
    for (const wrong of [b, other]) {
      answers.set(image, reportOf(wrong));
      clock.at += 60 * MINUTE;
      await queue.request([b], 'operator', clock.at);
      await all();
      assert.equal(await readFacts(store.read, b), null);
    }
  });

  test('where the registry does not say which image of an index a node runs, nothing is scanned', async (t) => {
    const clock = { at: AT };
    const scanner = scannerOf();
    const imageOf = async () => {
      throw new RegistryError('unsupported', 'ghcr.io/acme/web has no image for linux/amd64');
    };
    const { store, queue, all } = await workerOf(engine, t, scanner, clock, { imageOf });
    const [a = ''] = await seen(store, 1);
    await queue.request([a], null, AT);
    await all();
    assert.equal(scanner.orders.length, 0);
    assert.match(String((await queueRows(store))[0]?.['message']), /no image for linux\/amd64/);
  });

  test('a scanner that does not work is told, not held against the images, and tried by only one scan', async (t) => {
    const clock = { at: AT };
    const broken = new ScannerError('scanner', 'no vulnerability database has been downloaded yet');
    const answers = new Map<string, Answer>();
    const scanner = scannerOf(answers);
    const { store, queue, worker, all } = await workerOf(engine, t, scanner, clock);
    const digests = await seen(store, 5);
    for (const digest of digests) answers.set(digest, broken);
    await queue.request(digests, null, AT);
    await all();
    assert.ok(scanner.orders.length <= 2);
    await assert.rejects(worker.run(), broken);
    for (let minute = 0; minute < 400; minute += 10) {
      clock.at += 10 * MINUTE;
      const before = scanner.orders.length;
      await all().catch(() => {});
      assert.ok(scanner.orders.length <= before + 1);
    }
    assert.equal(await queue.size(), 5, 'none is given up');
    answers.clear();
    clock.at += 12 * HOUR;
    await all();
    assert.deepEqual([await queue.size(), worker.fault], [0, null]);
  });

  test('a service that ends stops its scans and puts them back', async (t) => {
    const clock = { at: AT };
    const scanner: Scanner = {
      ...scannerOf(),
      scan: ({ signal }) =>
        new Promise((_, reject) =>
          signal.addEventListener('abort', () => reject(new ScannerError('stopped', 'stopped'))),
        ),
    };
    const { store, queue, worker } = await workerOf(engine, t, scanner, clock);
    await queue.request(await seen(store, 3), null, AT);
    await worker.run();
    assert.equal(worker.running, 2);
    await worker.stop();
    await worker.run();
    assert.deepEqual(
      (await queueRows(store)).map(({ claimed_at, not_before }) => [claimed_at, not_before]),
      [1, 2, 3].map(() => [null, AT]),
    );
  });

  test('never more at once than is said, over all that wait, and none while the database changes', async (t) => {
    const clock = { at: AT };
    let now = 0;
    let most = 0;
    const three = Promise.withResolvers<void>();
    const scanner: Scanner = {
      ...scannerOf(),
      async scan({ reference }) {
        most = Math.max(most, ++now);
        if (now === 3) three.resolve();
        await three.promise;
        for (let turn = 0; turn < 5; turn += 1) await new Promise((resume) => setImmediate(resume));
        now -= 1;
        return reportOf(reference.digest ?? '');
      },
    };
    const { store, queue, gate, worker, all } = await workerOf(engine, t, scanner, clock, { atOnce: 3 });
    await queue.request(await seen(store, 40), null, AT);
    await Promise.all([worker.run(), worker.run()]);
    await gate.change(async () => {
      assert.equal(now, 0);
      await worker.run();
      assert.equal(worker.running, 0);
    });
    await all();
    assert.deepEqual([await queue.size(), most], [0, 3]);
  });

  test('an image is denied until it is scanned, and admitted after', async (t) => {
    const clock = { at: AT };
    const { store, queue, all } = await workerOf(engine, t, scannerOf(), clock);
    const [a = ''] = await seen(store, 1);
    const verdict = async (): Promise<unknown> => judge(await readFacts(store.read, a), a);
    assert.equal(await verdict(), 'unscanned');
    await queue.request([a], null, AT);
    await all();
    assert.equal(await verdict(), null);
  });

  test('where others wait without end, images are scanned again all the same, one now and then', async (t) => {
    const clock = { at: AT };
    const store = await engine.open(t);
    const queue = scanQueue(store);
    const database = vulnerabilityDatabaseStore(store);
    const rescans = new Rescans({
      ...{ store: rescanStore(store), queue, database, scanner: 'trivy', clock: { now: () => clock.at } },
      ...{ minAge: 6 * HOUR, usedWithin: 7 * 24 * HOUR },
    });
    const base = scannerOf();
    // Each scan takes a minute, and somebody has made two more pods meanwhile.
    let made = 10;
    const more = async (): Promise<void> => {
      const digests = [digestOf((made += 1)), digestOf((made += 1))];
      await append(
        store,
        digests.map((digest) => ({ digest, namespace: 'crowd' })),
      );
      await queue.request(digests, null, clock.at);
    };
    const stopAt = AT + 20 * MINUTE;
    const ended = Promise.withResolvers<void>();
    const scanner: typeof base = {
      ...base,
      async scan(order) {
        clock.at += MINUTE;
        if (clock.at < stopAt) await more();
        else ended.resolve();
        if (clock.at >= stopAt) void given.worker.stop();
        return base.scan(order);
      },
    };
    const given = await workerOf(engine, t, scanner, clock, { given: store, rescans, atOnce: 1 });
    const [old = ''] = await seen(store, 1);
    const scan = scanOf([], { scannedAt: formatTime(AT - 10 * HOUR), scanner: null });
    await store.write((transaction) =>
      recordScan(transaction, { digest: old, names: [], source: null, scan, at: AT }),
    );
    await database.checked({ version: '0.72.0', updatedAt: DB_AT }, AT);
    await more();
    await given.worker.run();
    await ended.promise;
    await given.worker.stop();
    assert.ok(base.orders.some(({ reference }) => reference.digest === old));
  });

  test('when the database moves, images in use are scanned again: the oldest first, and only where nothing else waits', async (t) => {
    const clock = { at: AT };
    const store = await engine.open(t);
    const queue = scanQueue(store);
    const database = vulnerabilityDatabaseStore(store);
    const rescans = new Rescans({
      ...{ store: rescanStore(store), queue, database, scanner: 'trivy', clock: { now: () => clock.at } },
      ...{ minAge: 6 * HOUR, usedWithin: 7 * 24 * HOUR },
    });
    const scanner = scannerOf();
    const given = await workerOf(engine, t, scanner, clock, { given: store, rescans, atOnce: 1 });
    const digests = await seen(store, 6);
    const [old = '', older = '', fresh = '', current = '', imported = '', unused = ''] = digests;
    const scanned = async (
      digest: string,
      hours: number,
      db: number | null,
      name = 'trivy',
    ): Promise<void> => {
      const dbUpdatedAt = db === null ? null : formatTime(db);
      const scan = scanOf([], {
        scannedAt: formatTime(AT - hours * HOUR),
        scanner: { name, version: '1', dbUpdatedAt },
      });
      await store.write((transaction) =>
        recordScan(transaction, { digest, names: [], source: null, scan, at: AT }),
      );
    };
    await scanned(old, 10, DB_AT - HOUR);
    await scanned(older, 20, DB_AT - HOUR);
    await scanned(fresh, 1, DB_AT - HOUR);
    await scanned(current, 10, DB_AT);
    await scanned(imported, 15, null, 'trivy-operator');
    await scanned(unused, 30, DB_AT - HOUR);
    await store.write(async (transaction) => {
      await transaction
        .updateTable('image_names')
        .set({ last_seen_at: AT - 8 * 24 * HOUR })
        .where('digest', '=', unused)
        .execute();
    });
    await given.all();
    assert.equal(scanner.orders.length, 0, 'which database there is, nobody knows yet');

    await database.checked({ version: '0.72.0', updatedAt: DB_AT }, AT);
    clock.at += MINUTE;
    await given.all();
    assert.deepEqual(
      scanner.orders.map(({ reference }) => reference.digest),
      [older, imported, old],
    );
    assert.deepEqual((await readFacts(store.read, old))?.scan?.scanner?.dbUpdatedAt, formatTime(DB_AT));
    clock.at += HOUR;
    await given.all();
    assert.equal(scanner.orders.length, 3, 'each once');
    await database.checked({ version: '0.72.0', updatedAt: DB_AT + 6 * HOUR }, AT);
    clock.at += 6 * HOUR;
    await given.all();
    assert.equal(scanner.orders.length, 8, 'all but the unused one');
  });
});

function judge(facts: ImageFacts | null, digest: string): string | null {
  const reference = parseReference(`ghcr.io/acme/web:1@${digest}`);
  assert.ok(!('fault' in reference));
  const decision = decide(POLICY, { ...SUBJECT, reference, digest, facts: facts ?? NO_FACTS }, AT);
  return decision.kind === 'refuse' ? decision.label : null;
}
