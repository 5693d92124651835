import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'node:https';
import type { HealthBody } from '../../src/api/contract/health.ts';
import type { NodesBody } from '../../src/api/contract/nodes.ts';
import { reviewOf } from '../admission/reviews.ts';
import { eventually, onEveryServer } from '../kubernetes/servers.ts';
import { podOf, staged } from './stage.ts';

onEveryServer(
  'the operator decides, records and reports what the API server asks it',
  async (t, bench, kubeconfig) => {
    const stage = await staged(t, bench, kubeconfig);
    const { api, put, running, shop, create, rows, measured, configurations } = stage;
    const remove = { method: 'DELETE' } as const;

    const policy = bench.name('registries');
    await put({
      apiVersion: 'ipo.dev/v1',
      kind: 'ImagePolicy',
      metadata: { name: policy },
      spec: {
        targetNamespaces: [shop],
        enforcement: 'Enforce',
        allowedRegistries: ['ghcr.io/acme'],
        denyLatestTag: true,
      },
    });
    await put({
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'front', namespace: shop },
      spec: { type: 'LoadBalancer', selector: { app: 'web' }, ports: [{ port: 80 }] },
    });
    await eventually(async () => {
      const found = await api.call<{ status?: { conditions?: { type: string; status: string }[] } }>({
        ...{ method: 'GET', path: `/apis/ipo.dev/v1/imagepolicies/${policy}`, what: 'the policy' },
      });
      return found.status?.conditions?.some((one) => one.type === 'Ready' && one.status === 'True') === true;
    }, 30_000);

    // Under `Ignore` a webhook that cannot be called admits: the first denial says that it is called.
    await eventually(async () => {
      const tried = await create(podOf('probe', 'docker.io/library/nginx:1.29'), { dryRun: 'All' }).then(
        () => null,
        String,
      );
      return tried !== null && /denied the request: .*registry not allowed: /.test(tried);
    }, 30_000);
    assert.equal((await rows()).length, 0, 'a dry run writes nothing');

    await t.test(
      'only the API server knows the path: what others post is refused and stands nowhere',
      async () => {
        const found = await api.call<{
          webhooks: {
            clientConfig: { caBundle: string; service: { path: string; name: string; namespace: string } };
          }[];
        }>({ method: 'GET', path: configurations, what: 'the webhook' });
        const { clientConfig } = found.webhooks[0] ?? assert.fail();
        const { path, ...service } = clientConfig.service;
        assert.match(path, /^\/admission\/pods\/[a-z0-9]{32}$/);
        const agent = new Agent({
          ca: Buffer.from(clientConfig.caBundle, 'base64'),
          servername: `${service.name}.${service.namespace}.svc`,
        });
        t.after(() => agent.destroy());
        const post = (to: string): Promise<number> =>
          new Promise((resolve, reject) => {
            const options = {
              agent,
              host: '127.0.0.1',
              port: running.service.webhook,
              path: to,
              method: 'POST',
            };
            const call = request(options, (answer) => resolve(answer.resume().statusCode ?? 0));
            call.on('error', reject);
            call.end(reviewOf({ namespace: shop }));
          });
        assert.deepEqual([await post('/admission/pods'), await post(`${path}x`)], [403, 403]);
        assert.equal((await rows()).length, 0);
        await eventually(
          async () => (await measured('svc_admission_refused_callers_total{reason="path"}')) === 2,
        );
        const { body } = await running.as('viewer').json<HealthBody>('GET /system/health');
        assert.equal(body.webhook?.refused_calls?.calls, 2);
        assert.ok(running.log.some((line) => line.includes('did not come from the API server')));
        const said = [
          ...running.log,
          JSON.stringify(body),
          await (await fetch(`${running.url}/metrics`)).text(),
        ];
        assert.ok(
          !said.join('\n').includes(path.slice('/admission/pods/'.length)),
          'the path is told nowhere',
        );
      },
    );

    await assert.rejects(create(podOf('outsider', 'docker.io/library/nginx:1.29')), /registry not allowed: /);
    await assert.rejects(create(podOf('latest', 'ghcr.io/acme/web')), /latest/);
    await create({
      ...podOf('web', 'ghcr.io/acme/web:1', { hostNetwork: true }),
      metadata: { name: 'web', labels: { app: 'web' } },
    });
    const recorded = await rows();
    assert.equal(recorded.length, 3);
    const row = recorded.find(({ allowed }) => allowed);
    assert.deepEqual(
      [row?.namespace, row?.pod, row?.cluster, row?.image],
      [shop, 'web', 'story', 'ghcr.io/acme/web:1'],
    );
    assert.deepEqual(
      [row?.signals, row?.exposed_by],
      [['root', 'hostNamespace', 'exposed'], `Service ${shop}/front`],
    );
    const faults = running.log.filter(
      (line) =>
        /"level":"(warn|error)"/.test(line) &&
        /cluster|Lease|leader|job failed/.test(line) &&
        // Nor what a busy machine takes longer for.
        !/did not come|A write transaction took long/.test(line),
    );
    assert.deepEqual(faults, [], 'nothing went wrong on the way');
    const denied = 'svc_admission_reviews_total{outcome="denied"}';
    // The series are made at most once a second.
    await eventually(async () => (await measured(denied)) === 2);
    assert.equal(await measured('svc_leader'), 1);
    // A leader begins with what is due: nodes are counted, and what runs was judged, within seconds of the start.
    await eventually(async () => (await measured('svc_nodes{kind="count"}')) === 0);
    await eventually(async () => (await measured('svc_reconcile_sweeps_total{outcome="whole"}')) === 1);

    await t.test('every job of the table in ARCHITECTURE.md runs, and no other', async () => {
      const text = await readFile(new URL('../../ARCHITECTURE.md', import.meta.url), 'utf8');
      const listed = [...text.matchAll(/^\| `([a-z-]+)` \| (?:\d+ m?s|`)/gm)].map(([, job]) => job ?? '');
      // Those that are absent here, as the tables say: reports that are off, files that are not given, nobody to be asked.
      const absent = [
        'policy-reports',
        'operator-reports',
        'catalogues',
        'certificate-files',
        'backup',
        ...['detector-certificates', 'detector-door'],
      ].concat(...['scans', 'vulnerability-database', 'image-proofs', 'new-image-proofs']);
      const { body } = await running.as('administrator').json<HealthBody>('GET /system/health');
      assert.deepEqual(
        body.jobs.map(({ name }) => name).toSorted(),
        listed.filter((job) => !absent.includes(job)).toSorted(),
      );
      const { webhook, cluster } = body;
      assert.deepEqual([webhook?.status, cluster?.status, cluster?.leads], ['ok', 'ok', true]);
      assert.match(webhook?.certificate_ends_at ?? '', /^20/);
      const nodes = await running.as('viewer').json<NodesBody>('GET /system/nodes');
      const [counted] = nodes.body.items;
      assert.deepEqual([counted?.cluster, counted?.count, counted?.state], ['story', 0, 'within']);
    });

    await t.test('500 pods that came past the webhook are found within one sweep', async () => {
      await api.call({ ...remove, path: configurations, what: 'the webhook' });
      const names = Array.from({ length: 500 }, (_, at) => `past-${at}`);
      // An API server forgets a webhook a moment after it was deleted: none of these may be asked about.
      await eventually(() =>
        create(podOf('gone', 'docker.io/evil:1'), { dryRun: 'All' }).then(
          () => true,
          () => false,
        ),
      );
      for (let at = 0; at < names.length; at += 20)
        await Promise.all(
          names.slice(at, at + 20).map((one) => create(podOf(one, 'docker.io/library/nginx:1.29'))),
        );
      let found = 0;
      await eventually(
        async () => (found += (await running.service.sweep?.())?.unreviewed ?? 0) >= 500,
        60_000,
      );
      const all = await rows();
      const uids = new Set(all.filter(({ kind }) => kind === 'unreviewed').map(({ pod_uid }) => pod_uid));
      assert.deepEqual([found, uids.size], [500, 500]);
      assert.equal(all.filter(({ kind, pod }) => kind === 'unreviewed' && pod === 'web').length, 0);
      await eventually(async () => (await measured('svc_reconcile_unreviewed_total')) === 500);
      // Each was never judged: what the policy says of its image stands beside.
      const judged = all.filter(({ kind }) => kind === 'reconcile');
      assert.equal(judged.filter(({ allowed, label }) => !allowed && label === 'registry').length, 500);
      assert.equal((await running.service.sweep?.())?.unreviewed, 0);
      await eventually(async () => {
        const path = `/apis/events.k8s.io/v1/namespaces/${shop}/events`;
        const { items } = await api.call<{ items: { reason: string }[] }>({
          method: 'GET',
          path,
          what: 'events',
        });
        return items.filter(({ reason }) => reason === 'Unreviewed').length === 500;
      });
    });
  },
);
