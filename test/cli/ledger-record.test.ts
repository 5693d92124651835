import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { StatusError } from '../kubernetes/fake/status-error.ts';
import { openFake } from '../kubernetes/servers.ts';
import { startFakeRegistry } from '../registry/fake-registry.ts';
import { imageOf, push } from '../registry/images.ts';
import { ipo } from './fake-terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'ipo-record-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const at = (name: string): string => join(folder, name);
const DIGEST = `sha256:${'a'.repeat(64)}`;

const pod = (name: string, more: object = {}): object => ({
  ...{ apiVersion: 'v1', kind: 'Pod' },
  metadata: {
    name,
    namespace: 'shop',
    uid: `u-${name}`,
    creationTimestamp: '2025-01-02T03:04:05Z',
    labels: { app: name },
  },
  spec: { containers: [{ name: 'main', image: 'ghcr.io/acme/shop:1' }] },
  status: { containerStatuses: [{ name: 'main', imageID: `ghcr.io/acme/shop@${DIGEST}` }] },
  ...more,
});
const service = {
  ...{ apiVersion: 'v1', kind: 'Service', metadata: { name: 'front', namespace: 'shop' } },
  spec: { type: 'LoadBalancer', selector: { app: 'web-7d9f8b6c5-x2k9z' } },
};
const list = (items: readonly object[], metadata: object = {}): string =>
  JSON.stringify({ apiVersion: 'v1', kind: 'List', metadata, items });
const draft = at('draft.yaml');
writeFileSync(
  draft,
  'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: {name: d}\nspec:\n  allowedRegistries: [docker.io]\n  signature: {required: true, identities: [{identity: a, issuer: b}]}\n',
);
const whatIf = async (ledger: string) => {
  const { out, err } = await ipo(['whatif', draft, '--ledger', ledger, '-o', 'json']);
  return JSON.parse(out || err);
};

function kubeconfigOf(server: string): string {
  const path = at('kubeconfig');
  writeFileSync(
    path,
    JSON.stringify({
      ...{ apiVersion: 'v1', kind: 'Config', 'current-context': 'kind-a' },
      clusters: [{ name: 'c', cluster: { server, 'insecure-skip-tls-verify': true } }],
      users: [{ name: 'u', user: { token: 't' } }],
      contexts: [{ name: 'kind-a', context: { cluster: 'c', user: 'u' } }],
    }),
  );
  return path;
}

suite('ipo ledger record', () => {
  test('pods of a list are rows at the time of their creation, however old, and what-if says what they are', async () => {
    const text = list([pod('web-7d9f8b6c5-x2k9z'), pod('old', { status: undefined }), service]);
    const ran = await ipo(['ledger', 'record', '--pods', '-', '-o', at('a.ndjson.gz')], { stdin: text });
    assert.equal(ran.code, 0, ran.err);
    assert.match(ran.err, /2 rows of 2 images/);
    const answer = await whatIf(at('a.ndjson.gz'));
    assert.equal(answer.would_deny, 2);
    assert.match(answer.notes.join('\n'), /The rows are the pods of a list/);
    assert.doesNotMatch(answer.notes.join('\n'), /exposed/);
    assert.equal(answer.context.signals.exposed, 1);
    assert.deepEqual(answer.groups.map(({ workload }: { workload: string }) => workload).toSorted(), [
      'old',
      'web',
    ]);
    const again = await ipo(['ledger', 'record', '--pods', '-', '-o', at('a.ndjson.gz')], { stdin: text });
    assert.equal(again.code, 2, 'it already exists');
  });

  test('what nobody told is unknown: no signature is missing that was not looked for', async () => {
    await ipo(['ledger', 'record', '--pods', '-', '-o', at('b.ndjson')], { stdin: list([pod('web')]) });
    writeFileSync(
      draft,
      'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: {name: d}\nspec:\n  signature: {required: true, identities: [{identity: a, issuer: b}]}\n',
    );
    const answer = await whatIf(at('b.ndjson'));
    assert.deepEqual(answer.not_evaluated, { count: 1, by_reason: { signatures_unknown: 1 } });
    assert.match(answer.notes.join('\n'), /Services and Ingresses were not given/);
  });

  test('reports of Trivy become facts, by digest', async () => {
    const report = {
      ...{
        SchemaVersion: 2,
        CreatedAt: '2026-11-20T00:00:00Z',
        ArtifactName: 'ghcr.io/acme/shop:1',
        ArtifactType: 'container_image',
      },
      Metadata: { RepoTags: ['ghcr.io/acme/shop:1'], RepoDigests: [`ghcr.io/acme/shop@${DIGEST}`] },
      Results: [
        {
          Target: 'x',
          Class: 'os-pkgs',
          Type: 'debian',
          Vulnerabilities: [
            { VulnerabilityID: 'CVE-2026-1', PkgName: 'a', InstalledVersion: '1', Severity: 'CRITICAL' },
          ],
        },
      ],
    };
    rmSync(at('reports'), { recursive: true, force: true });
    writeFileSync(at('report.json'), JSON.stringify(report));
    const ran = await ipo(
      ['ledger', 'record', '--pods', '-', '-t', at('report.json'), '-o', at('c.ndjson')],
      { stdin: list([pod('web')]) },
    );
    assert.equal(ran.code, 0, ran.err);
    writeFileSync(
      draft,
      'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: {name: d}\nspec: {severityThreshold: CRITICAL}\n',
    );
    assert.deepEqual((await whatIf(at('c.ndjson'))).would_deny_by_reason, { threshold: 1 });
  });

  test('hostile lists give a clear error or are told, and leave nothing half-written', async () => {
    const cut = list([pod('a')]).slice(0, -5);
    const cases: readonly (readonly [string, number, RegExp])[] = [
      [cut, 2, /not complete JSON\n.*cut in the middle/],
      ['kind: PodList\nitems: []\n', 2, /: this is not JSON\n {2}Write it with kubectl get … -o json; YAML/],
      ['NAME   READY\nweb-1  1/1\n', 2, /: this is not JSON\n/],
      ['', 2, /: this is not JSON\n/],
      ['[]', 2, /not what kubectl get -o json writes/],
      ['{"kind":"PodList"}', 2, /has no items/],
      [
        list([{ kind: 'Pod', metadata: { name: 'x\u001b[31m' } }, pod('ok')]),
        0,
        /cannot be read, and is left out/,
      ],
      [list([pod('a')], { continue: 'token' }), 0, /one page of a longer list/],
    ];
    for (const [text, code, said] of cases) {
      const ran = await ipo(['ledger', 'record', '--pods', '-', '-o', at('d.ndjson'), '--force'], {
        stdin: text,
      });
      assert.equal(ran.code, code, ran.err);
      assert.match(ran.err, said);
      assert.ok(!ran.err.includes('\u001b'));
      if (code !== 0) assert.equal(existsSync(at('d.ndjson')), false);
    }
    const audit = await ipo(['ledger', 'record', '--audit', '-', '-o', 'ndjson'], {
      stdin: 'garbage "pods"\n{"kind":"Event","apiVersion":"audit.k8s.io/v1","auditID":"a"}\n',
    });
    assert.equal(audit.code, 0, audit.err);
    assert.match(audit.err, /stdin:1: this line is not a whole event/);
    assert.equal((await ipo(['ledger', 'record', '--audit', '-', '--pods', 'x'])).code, 2);
    for (const [path, said] of [
      [at('none'), 'no such file or directory'],
      [folder, 'is a directory, not a file'],
    ] as const) {
      const ran = await ipo(['ledger', 'record', '--kubeconfig', path, '-o', 'ndjson']);
      assert.equal(ran.code, 3, 'as for any file that cannot be read');
      assert.ok(ran.err.startsWith(`ipo: ${path}: ${said}\n`), ran.err);
    }
    const policy = await ipo(['ledger', 'record', '--audit-policy']);
    assert.match(policy.out, /audit\.k8s\.io\/v1[^]*RequestResponse/);
  });

  test('a file without any audit event is not a log: the line is named, and nothing is written', async () => {
    const cases: readonly (readonly [string, number])[] = [
      ['hello\nworld\n', 1],
      ['\n \ngarbage "pods"\n', 3],
      [JSON.stringify(pod('a')), 1],
      [list([pod('a')]), 1],
      ['null\n1\n', 1],
      ['{"items":[null]}\n', 1],
      [`${'x'.repeat(9 * 1024 * 1024)}\n`, 1],
    ];
    for (const [text, line] of cases) {
      const ran = await ipo(['ledger', 'record', '--audit', '-', '-o', at('e.ndjson')], { stdin: text });
      assert.equal(ran.code, 2, ran.err);
      assert.ok(
        ran.err.includes(`stdin:${line}: neither this line nor any other line of the file is an audit event`),
        ran.err,
      );
      assert.match(ran.err, /apiVersion audit\.k8s\.io\/v1 on each line/);
      assert.equal(existsSync(at('e.ndjson')), false);
    }
    const empty = await ipo(['ledger', 'record', '--audit', '-', '-o', 'ndjson'], { stdin: '\n' });
    assert.equal(empty.code, 0, 'a log that was just rotated has no line');
  });

  test('a cluster is read by its kubeconfig', async (t) => {
    const { fake, url } = await openFake();
    t.after(() => fake.close());
    fake.seed(pod('web-7d9f8b6c5-x2k9z') as never);
    fake.seed(service as never);
    const kubeconfig = kubeconfigOf(url);
    const ran = await ipo(['ledger', 'record', '-o', 'ndjson'], { env: { KUBECONFIG: kubeconfig } });
    assert.equal(ran.code, 0, ran.err);
    const [header, row] = ran.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    assert.deepEqual([header.source, header.cluster, header.lacks], ['pods', 'kind-a', []]);
    assert.deepEqual([row.digest, row.exposed_by], [DIGEST, 'Service shop/front']);
    const wrong = await ipo([
      'ledger',
      'record',
      '--kubeconfig',
      kubeconfig,
      '--context',
      'b',
      '-o',
      'ndjson',
    ]);
    assert.equal(wrong.code, 2);
    assert.match(wrong.err, /no context "b"[^]*kind-a/);
  });

  test('rights that are missing are named, with the role that grants them', async (t) => {
    const { fake, url } = await openFake();
    t.after(() => fake.close());
    fake.seed(pod('web') as never);
    const env = { KUBECONFIG: kubeconfigOf(url) };
    const refuse = (...resources: readonly string[]): void => {
      fake.faults.answer = ({ path }) =>
        resources.some((one) => path.endsWith(`/${one}`))
          ? new StatusError(403, 'Forbidden', 'User "u" cannot list resource')
          : null;
    };
    refuse('services', 'vulnerabilityreports');
    const partly = await ipo(['ledger', 'record', '-o', 'ndjson'], { env });
    assert.equal(partly.code, 0, partly.err);
    assert.match(partly.err, /may not list services, vulnerabilityreports of all namespaces/);
    assert.match(
      partly.err,
      /--verb=list --resource=services,vulnerabilityreports\.aquasecurity\.github\.io;/,
    );
    assert.deepEqual(JSON.parse(partly.out.split('\n')[0] ?? '').lacks, ['exposure']);
    refuse('pods', 'ingresses');
    const file = at('refused.ndjson');
    const wholly = await ipo(['ledger', 'record', '-o', file], { env });
    assert.equal(wholly.code, 3);
    assert.match(
      wholly.err,
      /may not list pods, ingresses[^]*--resource=pods,ingresses\.networking\.k8s\.io;/,
    );
    assert.equal(existsSync(file), false);
  });

  test('registries are asked for digests and for what is attached to images', async (t) => {
    const registry = await startFakeRegistry(t);
    const { manifest, blobs } = imageOf('web');
    await push(registry.url, 'shop/web', { blobs, manifests: [{ content: manifest, as: '1' }] });
    const image = `${registry.host}/shop/web:1`;
    const given = [
      pod('web', { spec: { containers: [{ name: 'main', image }] }, status: undefined }),
      pod('gone', {
        spec: { containers: [{ name: 'main', image: `${registry.host}/shop/gone:1` }] },
        status: undefined,
      }),
    ];
    const args = ['ledger', 'record', '--pods', '-', '-o', 'ndjson'];
    const ran = await ipo([...args, '--registry', '--insecure-registry', registry.host], {
      stdin: list(given),
      env: { HOME: folder, XDG_CONFIG_HOME: folder, XDG_CACHE_HOME: folder },
    });
    assert.equal(ran.code, 0, ran.err);
    const lines = ran.out
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line));
    const facts = lines.find(({ type }) => type === 'image');
    assert.equal(facts.digest, manifest.digest);
    assert.deepEqual([facts.signatures, facts.attestations, facts.provenance], [[], [], []]);
    const rows = lines.filter((line) => line.type !== 'image' && 'pod' in line);
    const digests = Object.fromEntries(rows.map((row) => [row.image, row.digest]));
    assert.deepEqual(digests, { [image]: manifest.digest, [`${registry.host}/shop/gone:1`]: null });
    assert.match(ran.err, /shop\/gone/);
    for (const flag of [
      ['--registry-ca', 'ca.pem'],
      ['--registry-timeout', '5s'],
    ]) {
      const without = await ipo([...args, ...flag], { stdin: list(given) });
      assert.deepEqual([without.code, /no registry is asked/.test(without.err)], [2, true]);
    }
  });
});
