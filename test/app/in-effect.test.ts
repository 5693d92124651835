import assert from 'node:assert/strict';
import { Agent, request as call } from 'node:https';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { suite, test, type TestContext } from 'node:test';
import { REVIEW_PATH } from '../../src/admission/index.ts';
import { startRunning, scratchDirectory, type Running } from './running.ts';
import { openAdmission, type ServiceAdmission } from '../../src/app/webhook/admission.ts';
import { Appender } from '../../src/ledger/index.ts';
import { parsePolicyValue } from '../../src/policy/index.ts';
import { openStore } from '../../src/store/engine/open.ts';
import { ledgerWriter, policyStore, triageStore, type Store } from '../../src/store/index.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { openMetrics } from '../../src/telemetry/index.ts';
import { madeCertificate } from '../admission/certificate.ts';
import { AT, DIGEST, reviewOf, type Response } from '../admission/reviews.ts';
import { keptLog } from '../api/service.ts';
import { runs } from '../runs.ts';
import { forEachEngine } from '../store/engines.ts';
import { finding, scanOf } from '../store/image-records.ts';
import { withoutOpenssl } from './certificate.ts';

const skip = withoutOpenssl;
const certificate = skip === false ? madeCertificate('webhook') : null;
const WEB = `ghcr.io/acme/web@${DIGEST}`;

const documentOf = (spec: object) => ({
  apiVersion: 'ipo.dev/v1',
  kind: 'ImagePolicy',
  metadata: { name: 'shop' },
  spec: { enforcement: 'Enforce', ...spec },
});
const DENIES = documentOf({ allowedRegistries: ['quay.io'] });
const ADMITS = documentOf({ severityThreshold: 'NONE' });
const THRESHOLD = documentOf({ severityThreshold: 'CRITICAL' });

function asker(port: number, agent: Agent): () => Promise<boolean> {
  return () =>
    new Promise((resolve, reject) => {
      const sent = call({ host: '127.0.0.1', port, method: 'POST', path: REVIEW_PATH, agent }, (answer) => {
        let got = '';
        answer.on('data', (chunk: Buffer) => (got += chunk.toString()));
        answer.on('end', () => {
          try {
            resolve((JSON.parse(got) as { response: Response }).response.allowed);
          } catch (error) {
            reject(error);
          }
        });
      });
      sent.on('error', reject);
      sent.end(reviewOf({ uid: crypto.randomUUID(), spec: { containers: [{ name: 'web', image: WEB }] } }));
    });
}

const write = (document: object, at = AT) => {
  const { policy } = parsePolicyValue(document);
  return {
    name: policy.name,
    document: document as Record<string, unknown>,
    revision: policy.revision,
    at,
    by: null,
  };
};

interface Replica {
  readonly admission: ServiceAdmission;
  readonly store: Store;
  /** Whether a review of the image is answered with yes. */
  readonly asks: () => Promise<boolean>;
  /** Lets a time pass on this replica: what is due in it happens. */
  pass(ms: number): Promise<void>;
}

/** A replica whose time stands still until it is told to pass. */
async function openReplica(t: TestContext, url: string): Promise<Replica> {
  const store = await openStore({ url, poolSize: 3 });
  const log = keptLog();
  const metrics = openMetrics();
  let now = 0;
  let due: { at: number; act: () => void }[] = [];
  const timers = {
    after: (ms: number, act: () => void) => {
      const one = { at: now + ms, act };
      due.push(one);
      return () => void (due = due.filter((each) => each !== one));
    },
  };
  const writer = ledgerWriter(store);
  // It answers once it has read the newest reviews.
  await writer.follow();
  const ledger = new Appender({ writer, spool: null, timers, log, count: metrics });
  const admission = openAdmission({
    ...{ store, ledger, host: '127.0.0.1', port: 0, certificate, cluster: null, timers, log, metrics },
    ...{ coldImagePolicy: 'AllowAndScan', failurePolicy: 'Fail', clock: { now: () => AT + now } },
    monotonic: () => now,
  });
  const { port } = await admission.listen();
  const upkeeps = due.length;
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  const pass = async (ms: number): Promise<void> => {
    const end = now + ms;
    for (;;) {
      const next = due.filter(({ at }) => at <= end).toSorted((a, b) => a.at - b.at)[0];
      if (next === undefined) break;
      due = due.filter((one) => one !== next);
      now = Math.max(now, next.at);
      next.act();
      // What is done again and again is due again once it is done.
      while (due.length < upkeeps) await new Promise((resolve) => setImmediate(resolve));
    }
    now = end;
  };
  t.after(async () => {
    const ended = { closed: false };
    const closing = admission.close(0, 0).then(() => (ended.closed = true));
    while (!ended.closed) {
      for (const { act } of due.splice(0)) act();
      await new Promise((resolve) => setImmediate(resolve));
    }
    await closing;
    agent.destroy();
    await ledger.close();
    await store.close();
  });
  return { admission, store, asks: asker(port, agent), pass };
}

forEachEngine('What a replica acknowledged is in effect', (engine) => {
  for (const count of engine.name === 'sqlite' ? [1] : [1, 2, 3])
    test(
      `${count === 1 ? 'one replica' : `${count} replicas`}: at once on the one that answered, on every other within a second`,
      { skip },
      async (t) => {
        const url = await engine.migrated();
        const replicas: Replica[] = [];
        for (let i = 0; i < count; i += 1) replicas.push(await openReplica(t, url));
        const [first] = replicas;
        assert.ok(first);
        const critical = scanOf([finding('CVE-2026-1', 'CRITICAL')]);
        await first.store.write((transaction) =>
          recordScan(transaction, { digest: DIGEST, names: ['web'], source: null, scan: critical, at: AT }),
        );
        const policies = (replica: Replica) => policyStore(replica.store);
        let triaged = 0;
        const acts: Record<string, readonly [(by: Replica) => Promise<unknown>, boolean]> = {
          'POST of a policy that denies': [(by) => policies(by).create(write(DENIES)), false],
          'PUT of one that admits': [(by) => policies(by).replace(write(ADMITS), 'any'), true],
          'PUT of one with a threshold': [(by) => policies(by).replace(write(THRESHOLD), 'any'), false],
          'POST of a triage decision': [
            async (by) => {
              const made = await triageStore(by.store).create({
                ...{ digest: DIGEST, cve: 'CVE-2026-1', reason: 'not reached' },
                ...{ until: AT + 1e9, createdAt: AT, accountId: null, triagedBy: 'user:x' },
              } as never);
              triaged = (made as { id: number }).id;
            },
            true,
          ],
          'DELETE of it': [(by) => triageStore(by.store).end(triaged, AT), false],
          'DELETE of the policy': [(by) => policies(by).remove('shop', 'any', 200), true],
        };
        for (let round = 0; round < runs(1); round += 1)
          for (const [what, [act, admits]] of Object.entries(acts)) {
            const by = replicas[round % count] as Replica;
            // Everything is in memory, and fresh, so that nothing but the acknowledgement makes it be read again.
            for (const replica of replicas) await replica.asks();
            await act(by);
            await by.admission.inEffect();
            assert.equal(await by.asks(), admits, `${what}: at once on the replica that answered`);
            for (const [i, replica] of replicas.entries()) {
              await replica.pass(1000);
              assert.equal(
                await replica.asks(),
                admits,
                `${what}: replica ${i + 1} of ${count} after a second`,
              );
            }
          }
      },
    );
});

/** A whole service with a webhook. */
async function withWebhook(t: TestContext): Promise<Running & { readonly asks: () => Promise<boolean> }> {
  const folder = scratchDirectory(t);
  const files = { cert: join(folder, 'tls.crt'), key: join(folder, 'tls.key') };
  assert.ok(certificate);
  writeFileSync(files.cert, certificate.cert);
  writeFileSync(files.key, certificate.key, { mode: 0o600 });
  const running = await startRunning(t, {
    env: {
      IPO_WEBHOOK_LISTEN: '127.0.0.1:0',
      IPO_WEBHOOK_CERTIFICATES_SOURCE: 'files',
      IPO_WEBHOOK_CERTIFICATES_CERT_FILE: files.cert,
      IPO_WEBHOOK_CERTIFICATES_KEY_FILE: files.key,
    },
  });
  const agent = new Agent({ keepAlive: true, rejectUnauthorized: false });
  t.after(() => agent.destroy());
  return { ...running, asks: asker(running.service.webhook ?? 0, agent) };
}

suite('What the API answered is in effect for the next review', { skip }, () => {
  test('a policy that was created, changed or deleted, and the answer says so', async (t) => {
    const { as, asks } = await withWebhook(t);
    const client = as('administrator');
    for (let round = 0; round < runs(1); round += 1) {
      const made = await client.json('POST /policies', { body: DENIES });
      assert.equal(await asks(), false, `created, round ${round}`);
      assert.equal(made.headers['ipo-in-effect'], 'here=?1');
      const etag = made.headers['etag'] ?? '';
      const put = await client.json('PUT /policies', { body: ADMITS, headers: { 'if-match': etag } });
      assert.equal(await asks(), true, `changed, round ${round}`);
      const gone = await client.json('DELETE /policies/{name}', {
        params: { name: 'shop' },
        headers: { 'if-match': put.headers['etag'] ?? '' },
      });
      assert.equal(await asks(), true, `deleted, round ${round}`);
      assert.deepEqual([put.headers['ipo-in-effect'], gone.headers['ipo-in-effect']], ['here=?1', 'here=?1']);
    }
  });
});
