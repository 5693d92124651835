import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { Agent, request } from 'node:https';
import { test, type TestContext } from 'node:test';
import type { RowBody } from '../../src/api/contract/ledger.ts';
import { forEachEngine } from '../store/engines.ts';
import { makeCertificate, withoutOpenssl } from './certificate.ts';
import { scratchDirectory, startRunning, type Running } from './running.ts';

interface Answer {
  readonly response: {
    readonly uid: string;
    readonly allowed: boolean;
    readonly status?: { readonly message?: string };
  };
}

async function start(t: TestContext, database: string): Promise<{ running: Running; ask: Ask }> {
  const { cert, key } = makeCertificate(scratchDirectory(t), 'webhook');
  const running = await startRunning(t, {
    env: {
      IPO_DATABASE_URL: database,
      IPO_WEBHOOK_LISTEN: '127.0.0.1:0',
      IPO_WEBHOOK_CERTIFICATES_SOURCE: 'files',
      IPO_WEBHOOK_CERTIFICATES_CERT_FILE: cert,
      IPO_WEBHOOK_CERTIFICATES_KEY_FILE: key,
    },
  });
  const agent = new Agent({ ca: readFileSync(cert), keepAlive: true });
  t.after(() => agent.destroy());
  const ask: Ask = (body) => post(running.service.webhook ?? 0, agent, body);
  // The certificate is taken over by a job that runs at the start.
  for (let tries = 0; ; tries += 1) {
    const ready = await ask(review('probe', 'x', true)).then(
      () => true,
      () => false,
    );
    if (ready) return { running, ask };
    assert.ok(tries < 200, 'the webhook does not answer');
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

type Ask = (body: unknown) => Promise<Answer>;

function post(port: number, agent: Agent, body: unknown): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const options = { agent, host: '127.0.0.1', port, path: '/admission/pods', method: 'POST' };
    const call = request({ ...options, headers: { 'content-type': 'application/json' } }, (answer) => {
      let text = '';
      answer.on('data', (bytes: Buffer) => (text += bytes.toString()));
      answer.on('end', () => resolve(JSON.parse(text) as Answer));
    });
    call.on('error', reject);
    call.end(JSON.stringify(body));
  });
}

function review(uid: string, image: string, dryRun = false): unknown {
  return {
    apiVersion: 'admission.k8s.io/v1',
    kind: 'AdmissionReview',
    request: {
      uid,
      kind: { group: '', version: 'v1', kind: 'Pod' },
      resource: { group: '', version: 'v1', resource: 'pods' },
      operation: 'CREATE',
      namespace: 'shop',
      dryRun,
      userInfo: { username: 'system:serviceaccount:kube-system:replicaset-controller', groups: [] },
      object: {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `pod-${uid}`, namespace: 'shop', uid: `uid-${uid}` },
        spec: { containers: [{ name: 'app', image }] },
      },
    },
  };
}

forEachEngine('the webhook of a service', (engine) => {
  test(
    'denies and admits by the policies of its API, and records before it answers',
    { skip: withoutOpenssl },
    async (t) => {
      const { running, ask } = await start(t, await engine.migrated());
      const administrator = running.as('administrator');
      await administrator.json('POST /policies', {
        body: {
          apiVersion: 'ipo.dev/v1',
          kind: 'ImagePolicy',
          metadata: { name: 'registries' },
          spec: { enforcement: 'Enforce', allowedRegistries: ['ghcr.io/acme'] },
        },
      });
      // "Without it the write holds within a second."
      let denied: Answer | null = null;
      for (let tries = 0; tries < 200; tries += 1) {
        denied = await ask(review(`r-${tries}`, 'docker.io/library/nginx:1.29'));
        if (!denied.response.allowed) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      assert.equal(denied?.response.allowed, false);
      assert.match(denied?.response.status?.message ?? '', /registry not allowed: /);
      assert.equal((await ask(review('good', 'ghcr.io/acme/web:1'))).response.allowed, true);
      assert.equal((await ask(review('good', 'ghcr.io/acme/web:1'))).response.allowed, true);

      const { body } = await administrator.json<{ items: readonly RowBody[] }>('GET /ledger/rows');
      const of = (uid: string): readonly RowBody[] => body.items.filter((row) => row.review_uid === uid);
      assert.equal(of('probe').length, 0, 'a dry run writes nothing');
      assert.equal(of('good').length, 1, 'the same uid is recorded once');
      const [row] = of(denied?.response.uid ?? '');
      assert.deepEqual([row?.allowed, row?.label, row?.policy], [false, 'registry', 'registries']);
      const metrics = await (await fetch(`${running.url}/metrics`)).text();
      assert.match(metrics, /^svc_admission_reviews_total\{outcome="denied"\} 1$/m);
      assert.match(metrics, /^svc_nodes\{kind="ceiling"\} -1$/m);
      assert.match(metrics, /^svc_leader 1$/m);
    },
  );
});
