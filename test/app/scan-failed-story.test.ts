import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import type { KubeObject } from '../../src/adapters/kubernetes/index.ts';
import { timers } from '../../src/app/running/timers.ts';
import { SCAN_FAILURES } from '../../src/findings/index.ts';
import { benchOf, eventually, kubeconfigOf, openFake, plainConnection } from '../kubernetes/servers.ts';
import { startFakeRegistry } from '../registry/fake-registry.ts';
import { imageOf } from '../registry/images.ts';
import { standInTrivy } from '../scan/stand-in-trivy.ts';
import { scratchDirectory } from './running.ts';
import { podOf, staged } from './stage.ts';

interface Event {
  readonly reason: string;
  readonly note: string;
  readonly action: string;
  readonly type: string;
  readonly regarding: { readonly kind: string; readonly name: string; readonly namespace: string };
}

interface Detail {
  readonly scan_failures: readonly { readonly reason: string }[];
}

test('the operator tells workloads why their images cannot be scanned', { timeout: 120_000 }, async (t) => {
  // What is due each minute is due each half second.
  const after = timers.after.bind(timers);
  t.mock.method(timers, 'after', (ms: number, act: () => void) => after(ms === 60_000 ? 500 : ms, act));
  const { fake, url } = await openFake();
  const bench = benchOf(t, () => plainConnection(url), fake);
  const registry = await startFakeRegistry(t);
  const { manifest } = imageOf('web');
  registry.manifests.set(`shop/web ${manifest.digest}`, { type: manifest.mediaType, bytes: manifest.bytes });
  registry.manifests.set('shop/web 1', { type: manifest.mediaType, bytes: manifest.bytes });
  const image = `${registry.host}/shop/web:1`;
  const report = join(scratchDirectory(t), 'report.json');
  await writeFile(report, '{}');
  const standIn = standInTrivy(t, { report, mode: 'killed' });
  const { shop, create, running, api, put } = await staged(t, bench, kubeconfigOf(url), {
    ...{ IPO_SCANNER_KIND: 'trivy', IPO_SCANNER_PROGRAM: standIn.program, IPO_REGISTRIES_TAGS: 'resolve' },
    IPO_REGISTRIES_HOSTS: JSON.stringify([{ host: registry.host, plainHttp: true }]),
  });
  await put({
    ...{ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: 'registries' } },
    spec: { targetNamespaces: [shop], enforcement: 'Enforce', allowedRegistries: [registry.host] },
  });
  // Under `Ignore` a webhook that cannot be called admits: the first denial says that it is called.
  await eventually(async () => {
    const probe = podOf('probe', 'docker.io/library/nginx:1.29');
    return /registry not allowed/.test(await create(probe, { dryRun: 'All' }).then(String, String));
  }, 20_000);
  const events = async (): Promise<readonly Event[]> => {
    const path = `/apis/events.k8s.io/v1/namespaces/${shop}/events`;
    const { items } = await api.call<{ items: readonly Event[] }>({ method: 'GET', path, what: 'events' });
    return items.filter(({ reason }) => reason === 'ScanFailed');
  };
  const told = async (): Promise<readonly string[]> =>
    (await events()).map(({ regarding: { kind, name } }) => `${kind} ${name}`).toSorted();

  // Runs before anybody knows that its image cannot be scanned.
  const ownerReferences = [
    { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web-1', uid: 'rs-1', controller: true },
  ];
  await create({ ...podOf('first', image), metadata: { name: 'first', ownerReferences } });
  await api.call<KubeObject>({
    ...{ method: 'PATCH', patch: 'merge', what: 'the status of the pod' },
    path: `/api/v1/namespaces/${shop}/pods/first/status`,
    body: {
      status: {
        phase: 'Running',
        containerStatuses: [{ name: 'app', imageID: `${registry.host}/shop/web@${manifest.digest}` }],
      },
    },
  });
  await eventually(async () => {
    const swept = await running.service.sweep?.();
    const failures = await running
      .as('viewer')
      .json<Detail>('GET /images/{digest}', { params: { digest: manifest.digest } })
      .then(
        ({ body }) => body.scan_failures,
        () => [],
      );
    return swept !== undefined && failures.some(({ reason }) => reason === 'crashed');
  }, 20_000);

  // A pod that is reviewed from now on hears of it at once, a workload that runs already within a minute.
  let tries = 0;
  await eventually(async () => {
    await create(podOf(`later-${(tries += 1)}`, image));
    return (await told()).some((one) => one.startsWith('Pod later-'));
  }, 20_000);
  await eventually(async () => (await told()).includes('ReplicaSet web-1'), 20_000);
  const event = (await events()).find(({ regarding }) => regarding.name === 'web-1');
  assert.deepEqual(
    [event?.type, event?.action, event?.regarding.namespace, (await told()).filter((one) => /web/.test(one))],
    ['Warning', 'Scan', shop, ['ReplicaSet web-1']],
  );
  const { means, hint } = SCAN_FAILURES.crashed;
  const note = event?.note ?? '';
  assert.ok(note.startsWith(`${image} cannot be scanned: ${means}`) && note.includes(hint), note);
});
