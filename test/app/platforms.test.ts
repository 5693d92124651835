import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import type { KubeObject } from '../../src/adapters/kubernetes/index.ts';
import { benchOf, eventually, kubeconfigOf, openFake, plainConnection } from '../kubernetes/servers.ts';
import { startFakeRegistry } from '../registry/fake-registry.ts';
import { descriptorOf, imageOf, indexOf } from '../registry/images.ts';
import { standInTrivy } from '../scan/stand-in-trivy.ts';
import { scratchDirectory } from './running.ts';
import { podOf, staged } from './stage.ts';

interface Detail {
  readonly scan: {
    readonly platforms?: readonly { readonly platform: string; readonly state: string }[];
  } | null;
}

const nodeOf = (architecture: string): object => ({
  ...{ apiVersion: 'v1', kind: 'Node', metadata: { name: `node-${architecture}` } },
  status: {
    nodeInfo: { operatingSystem: 'linux', architecture },
    conditions: [{ type: 'Ready', status: 'True' }],
  },
});

/** A report of Trivy, with a critical finding or none. */
function reportIn(directory: string, name: string, found: readonly string[]): string {
  const path = join(directory, `${name}.json`);
  const Vulnerabilities = found.map((VulnerabilityID) => ({
    ...{ VulnerabilityID, PkgName: 'musl', InstalledVersion: '1.2.4-r0', FixedVersion: '1.2.4-r1' },
    Severity: 'CRITICAL',
  }));
  const Results = [{ Target: name, Class: 'os-pkgs', Type: 'alpine', Vulnerabilities }];
  writeFileSync(path, JSON.stringify({ SchemaVersion: 2, Results }));
  return path;
}

test('in a cluster of two architectures an index is scanned for both, and judged by the node or by the worst', async (t) => {
  const { fake, url } = await openFake();
  const bench = benchOf(t, () => plainConnection(url), fake);
  const registry = await startFakeRegistry(t);
  const [amd, arm] = ['amd64', 'arm64'].map((name) => imageOf(name).manifest);
  assert.ok(amd && arm);
  const index = indexOf([
    descriptorOf(amd, { platform: { os: 'linux', architecture: 'amd64' } }),
    descriptorOf(arm, { platform: { os: 'linux', architecture: 'arm64' } }),
  ]);
  for (const { digest, mediaType, bytes } of [amd, arm, index])
    registry.manifests.set(`shop/web ${digest}`, { type: mediaType, bytes });
  registry.manifests.set('shop/web 1', { type: index.mediaType, bytes: index.bytes });
  const image = `${registry.host}/shop/web:1`;
  const directory = scratchDirectory(t);
  const onArm = `${registry.host}/shop/web@${arm.digest}`;
  const standIn = standInTrivy(t, {
    report: reportIn(directory, 'clean', []),
    reports: { [onArm]: reportIn(directory, 'critical', ['CVE-2026-1000']) },
    images: { [onArm]: 'wait' },
  });
  for (const architecture of ['amd64', 'arm64']) await bench.put({ ...nodeOf(architecture) });
  const { shop, create, running, rows, api, put } = await staged(t, bench, kubeconfigOf(url), {
    ...{ IPO_SCANNER_KIND: 'trivy', IPO_SCANNER_PROGRAM: standIn.program, IPO_REGISTRIES_TAGS: 'resolve' },
    IPO_REGISTRIES_HOSTS: JSON.stringify([{ host: registry.host, plainHttp: true }]),
  });
  await put({
    ...{ apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name: 'critical' } },
    spec: {
      ...{ targetNamespaces: [shop], enforcement: 'Enforce', severityThreshold: 'CRITICAL' },
      ...{ admissionTiming: 'DenyUntilScanned', runtimeReconciliation: 'audit' },
    },
  });
  const answer = async (name: string, more: object = {}, query?: Record<string, string>): Promise<string> =>
    create(podOf(name, image, more), query).then(() => 'admitted', String);
  const dry = { dryRun: 'All' };
  // Under `Ignore` a webhook that cannot be called admits.
  await eventually(async () => /not scanned yet/.test(await answer('probe', {}, dry)), 30_000);
  assert.match(await answer('first'), /not scanned yet/);

  const shown = async (): Promise<Detail | null> =>
    running
      .as('viewer')
      .json<Detail>('GET /images/{digest}', { params: { digest: index.digest } })
      .then(
        ({ body }) => body,
        () => null,
      );
  const platforms = async (): Promise<string> =>
    ((await shown())?.scan?.platforms ?? []).map(({ platform, state }) => `${platform} ${state}`).join(', ');
  await eventually(async () => (await platforms()) === 'linux/amd64 scanned, linux/arm64 missing', 30_000);
  await eventually(async () => (await answer('clean', { nodeName: 'node-amd64' }, dry)) === 'admitted');
  assert.match(await answer('anywhere', {}, dry), /not scanned yet/, 'it may come to the other platform');

  standIn.go();
  await eventually(async () => (await platforms()) === 'linux/amd64 scanned, linux/arm64 scanned', 30_000);
  await eventually(async () => /CVE-2026-1000/.test(await answer('worst')));
  const selected = { nodeSelector: { 'kubernetes.io/arch': 'arm64' } };
  assert.match(await answer('arm', selected), /CVE-2026-1000/);
  assert.equal(await answer('clean', { nodeName: 'node-amd64' }), 'admitted');
  const platformsOf = async (): Promise<(readonly [unknown, unknown])[]> =>
    (await rows()).map(({ pod, platform }) => [pod, platform ?? null] as const);
  await eventually(async () => (await platformsOf()).some(([pod]) => pod === 'clean'));
  const by = new Map(await platformsOf());
  assert.deepEqual(
    ['worst', 'arm', 'clean'].map((pod) => by.get(pod)),
    [null, 'linux/arm64', 'linux/amd64'],
  );

  // Its runtime says in the status which image of the index it runs.
  const path = `/api/v1/namespaces/${shop}/pods/clean/status`;
  const containerStatuses = [{ name: 'app', imageID: `${registry.host}/shop/web@${amd.digest}` }];
  await api.call<KubeObject>({
    ...{ method: 'PATCH', patch: 'merge', path, what: 'the status of the pod' },
    body: { status: { phase: 'Running', containerStatuses } },
  });
  await eventually(async () => {
    const swept = await running.service.sweep?.();
    const found = await running.service.store.read.selectFrom('running_images').select('digest').execute();
    return swept?.refused === 0 && found.some(({ digest }) => digest === index.digest);
  });
  const { body } = await running.as('viewer').json<{ total: number }>('GET /images');
  assert.equal(body.total, 1, 'the image of the platform is no other image');
});
