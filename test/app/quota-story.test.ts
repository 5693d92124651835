import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { toSigner } from '../../src/ledger/index.ts';
import { issueCertificate } from '../../src/licence/index.ts';
import { eventually, onEveryServer } from '../kubernetes/servers.ts';
import { podOf, staged } from './stage.ts';

const pem = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

onEveryServer(
  'an image name above the ceiling of the licence is denied by the webhook, and what was admitted goes on',
  async (t, bench, kubeconfig) => {
    const signer = toSigner('acme', pem);
    const stage = await staged(t, bench, kubeconfig, { IPO_LICENCE_PUBLIC_KEYS: signer.vkey });
    const { put, running, shop, create, rows, measured } = stage;
    const administrator = running.as('administrator');
    const policy = bench.name('open');
    await put({
      ...{ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: policy } },
      spec: { targetNamespaces: [shop], enforcement: 'Enforce', allowedRegistries: ['ghcr.io/acme'] },
    });
    const trial = (image: string, query?: Readonly<Record<string, string>>) =>
      create(podOf(bench.name('pod'), image), query).then(() => null, String);
    // Under `Ignore` a webhook that cannot be called admits: the first denial says that it is called.
    await eventually(
      async () =>
        /registry not allowed/.test((await trial('docker.io/library/nginx:1', { dryRun: 'All' })) ?? ''),
      30_000,
    );

    const { body: request } = await administrator.json<{ cluster_id: string; request_id: string }>(
      'POST /system/licence/request',
    );
    const certificate = issueCertificate(
      {
        ...{ id: 'lic-1', customer: 'Acme', key_id: 'offline', cluster_id: request.cluster_id },
        ceiling: { nodes: 100, image_names: 2, clusters: null },
        ...{ issued_at: '2026-01-01T00:00:00Z', not_after: null, request_id: request.request_id },
      },
      signer,
    );
    await administrator.json('PUT /system/licence', { body: { certificate } });

    assert.equal(await trial('ghcr.io/acme/web:1'), null);
    assert.equal(await trial('ghcr.io/acme/api:1'), null);
    let denied: string | null = null;
    await eventually(
      async () => (denied = await trial('ghcr.io/acme/third:1', { dryRun: 'All' })) !== null,
      30_000,
    );
    assert.match(denied ?? '', /monthly allowance of 2 image names exceeded/);
    assert.match((await trial('ghcr.io/acme/third:1')) ?? '', /monthly allowance of 2 image names exceeded/);
    assert.equal(await trial('ghcr.io/acme/web:2'), null, 'another tag of a name that was admitted');
    const last = (await rows()).find(({ image }) => image === 'ghcr.io/acme/third:1');
    assert.deepEqual([last?.allowed, last?.label], [false, 'quota']);
    assert.equal(await measured('svc_admission_denials_total{reason="quota"}'), 1);
  },
);
