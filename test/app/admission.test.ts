import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { Agent, request as call } from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { openFileSpool } from '../../src/adapters/spool/index.ts';
import { REVIEW_PATH } from '../../src/admission/index.ts';
import { openAdmission, type AdmissionDeps } from '../../src/app/webhook/admission.ts';
import { Appender, type LedgerWriter } from '../../src/ledger/index.ts';
import { parsePolicies } from '../../src/policy/index.ts';
import { ledgerReader, ledgerWriter, openStore, policyStore, scanQueue } from '../../src/store/index.ts';
import { openMetrics } from '../../src/telemetry/index.ts';
import { madeCertificate } from '../admission/certificate.ts';
import { AT, DIGEST, reviewOf, type Response } from '../admission/reviews.ts';
import { keptLog } from '../api/service.ts';
import { withoutOpenssl } from './certificate.ts';

const skip = withoutOpenssl;
const certificate = skip === false ? madeCertificate('webhook') : null;
const WEB = `ghcr.io/acme/web@${DIGEST}`;

/** A webhook over a database and a spool of its own; `broken` makes the database take no rows. */
async function start(t: TestContext, options: Partial<AdmissionDeps> = {}) {
  const folder = mkdtempSync(join(tmpdir(), 'ipo-admission-'));
  const store = await openStore({ url: `sqlite:${join(folder, 'ipo.db')}` });
  const [log, metrics] = [keptLog(), openMetrics()];
  const text =
    'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: { name: shop }\nspec: { enforcement: Enforce, allowedRegistries: [ghcr.io] }\n';
  const [parsed] = parsePolicies(text, 'shop.yaml').policies;
  if (parsed === undefined) throw new Error('no policy');
  const { name, revision } = parsed.policy;
  await policyStore(store).create({
    name,
    revision,
    document: { ...(parsed.document as object) },
    at: AT,
    by: null,
  });

  const database = { broken: false };
  const real = ledgerWriter(store);
  const writer: LedgerWriter = {
    appendAll: async (entries) => {
      if (database.broken) throw new Error('the database is down');
      return real.appendAll(entries);
    },
  };
  const due: { ms: number; act: () => void }[] = [];
  const timers = {
    after: (ms: number, act: () => void) => {
      const one = { ms, act };
      due.push(one);
      return () => void due.splice(due.indexOf(one) >>> 0, due.includes(one) ? 1 : 0);
    },
  };
  const spool = await openFileSpool({ directory: join(folder, 'spool'), log, maxRows: 100, maxBytes: 1e6 });
  const ledger = new Appender({ writer, spool, timers, log, count: metrics });
  const admission = openAdmission({
    ...{ store, ledger, host: '127.0.0.1', port: 0, certificate, cluster: 'eu-1', timers, log, metrics },
    ...{ coldImagePolicy: 'AllowAndScan', failurePolicy: 'Ignore', clock: { now: () => AT } },
    ...options,
  });
  const { port } = await admission.listen();
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  /** Lets everything that waits happen until something is so. */
  const until = async (done: () => boolean | Promise<boolean>): Promise<void> => {
    while (!(await done())) {
      for (const { act } of due.splice(0)) act();
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  t.after(async () => {
    let closed = false;
    const closing = admission.close(0, 0).then(() => (closed = true));
    await until(() => closed);
    await closing;
    agent.destroy();
    await ledger.close();
    await store.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const ask = (body: Buffer): Promise<Response> =>
    new Promise((resolve, reject) => {
      const sent = call({ host: '127.0.0.1', port, method: 'POST', path: REVIEW_PATH, agent }, (answer) => {
        let got = '';
        answer.on('data', (chunk: Buffer) => (got += chunk.toString()));
        answer.on('end', () => {
          try {
            resolve((JSON.parse(got) as { response: Response }).response);
          } catch (error) {
            reject(error);
          }
        });
      });
      sent.on('error', reject);
      sent.end(body);
    });
  return {
    admission,
    store,
    ask,
    until,
    metrics,
    database,
    ledger,
    rows: () => ledgerReader(store).list({}, { limit: 10, offset: 0 }),
  };
}

suite('the webhook of a service', { skip }, () => {
  test('its end does not wait long for a database that hangs: the time left belongs to the spool', async (t) => {
    const asked: string[] = [];
    const { ask, admission, until } = await start(t, {
      requestScans: (digests) => {
        asked.push(...digests);
        return new Promise(() => {});
      },
    });
    await ask(reviewOf({ spec: { containers: [{ name: 'web', image: WEB }] } }));
    let closed = false;
    const closing = admission.close(0, 0).then(() => (closed = true));
    let turns = 0;
    await until(() => closed || ++turns > 200);
    assert.ok(closed, 'it ended');
    await closing;
    assert.ok(asked.includes(DIGEST));
  });

  test('a review is answered once its rows are durable, and asks for the scan that is missing', async (t) => {
    const { ask, rows, until, store, metrics, admission } = await start(t);
    assert.deepEqual(admission.health(), {
      ...{ unready: null, reviews: 0, answered: 0, policiesStaleSince: null },
      refused: { calls: 0, lastAt: null },
    });
    const response = await ask(
      reviewOf({ uid: 'first', spec: { containers: [{ name: 'web', image: WEB }] } }),
    );
    assert.equal(response.allowed, true);
    const { items, total } = await rows();
    assert.equal(total, 1);
    assert.deepEqual([items[0]?.review_uid, items[0]?.digest, items[0]?.policy], ['first', DIGEST, 'shop']);
    await until(async () => (await scanQueue(store).size()) === 1);
    assert.equal(
      (await ask(reviewOf({ spec: { containers: [{ name: 'web', image: 'quay.io/x:1' }] } }))).allowed,
      false,
    );
    const text = await metrics.text();
    assert.match(text, /svc_admission_denials_total\{reason="registry"\} 1/);
    assert.match(text, /svc_admission_reviews_total\{outcome="allowed"\} 1/);
    assert.match(text, /svc_admission_context_total\{signal="root"\} 2/);
    assert.match(text, /svc_admission_context_total\{signal="exposed"\} 0/);
    assert.match(text, /svc_admission_review_seconds_count 2/);
  });

  test('it is not ready, and answers no review, before what exposes pods has been read', async (t) => {
    let unread: string | null = 'the services of the cluster were not read yet';
    const exposure = { of: () => null, unready: () => unread };
    const { admission, ask, rows } = await start(t, { exposure });
    assert.equal(admission.health().unready, unread);
    await assert.rejects(ask(reviewOf()), SyntaxError, 'a sentence and no review');
    assert.equal((await rows()).total, 0);
    unread = null;
    assert.equal(admission.health().unready, null);
    assert.equal((await ask(reviewOf())).allowed, true);
  });

  test('a dry run leaves the database as it was', async (t) => {
    const { ask, rows, store, admission } = await start(t);
    await ask(reviewOf({ dryRun: true, spec: { containers: [{ name: 'web', image: WEB }] } }));
    await admission.inEffect();
    assert.deepEqual([(await rows()).total, await scanQueue(store).size()], [0, 0]);
    assert.equal((await store.read.selectFrom('images').selectAll().execute()).length, 0);
  });

  test('a policy that is written holds for the next review once it is told', async (t) => {
    const { ask, store, admission } = await start(t);
    await policyStore(store).remove('shop', 'any', 200);
    const elsewhere = () => reviewOf({ spec: { containers: [{ name: 'web', image: 'quay.io/x:1' }] } });
    assert.equal((await ask(elsewhere())).allowed, false);
    await admission.inEffect();
    assert.equal((await ask(elsewhere())).allowed, true);
  });

  test('while the database takes nothing the spool does, answers say so, and every row is there once afterwards', async (t) => {
    const { ask, rows, until, database, ledger } = await start(t);
    database.broken = true;
    const body = reviewOf({ uid: 'spooled' });
    assert.deepEqual((await ask(body)).warnings, ['ledger delayed']);
    assert.equal((await ask(body)).allowed, true, 'the same uid again');
    assert.equal((await rows()).total, 0);
    database.broken = false;
    await until(() => !ledger.delayed);
    assert.equal((await ask(body)).warnings, undefined);
    const { items } = await rows();
    assert.deepEqual(
      items.map(({ review_uid }) => review_uid),
      ['spooled'],
    );
  });
});
