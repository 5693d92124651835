import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { after, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import type { CheckDocument, ImageDocument } from '../../src/checks/index.ts';
import { ipo, type Ran } from './fake-terminal.ts';

const directory = mkdtempSync(join(tmpdir(), 'ipo-check-'));
/** A file that is there and whose path is a reference, as long as the tests run at the root. */
const here = fileURLToPath(new URL('../../package.json', import.meta.url));
after(() => rmSync(directory, { recursive: true, force: true }));

function file(name: string, data: string | object): string {
  const path = join(directory, name);
  writeFileSync(path, typeof data === 'string' ? data : JSON.stringify(data));
  return path;
}

let files = 0;
function policy(spec: object, name = 'shop'): string {
  files += 1;
  return file(`policy-${files}.json`, {
    apiVersion: 'ipo.dev/v1',
    kind: 'ImagePolicy',
    metadata: { name },
    spec,
  });
}

const A = `sha256:${'a'.repeat(64)}`;
const B = `sha256:${'b'.repeat(64)}`;
const finding = (cve: string, severity: string, more: object = {}): object => ({
  cve,
  severity,
  package: 'openssl',
  installed: '1',
  fixed: '2',
  known_exploited: false,
  triaged_until: null,
  ...more,
});
const image = (
  digest: string,
  names: string[],
  findings: readonly object[] | null,
  more: object = {},
): object => ({
  type: 'image',
  digest,
  names,
  scan: {
    scanned_at: '2026-11-19T06:00:00Z',
    scanner: { name: 'trivy', version: '1', db_updated_at: null },
    os: null,
    findings,
  },
  signatures: [],
  attestations: [],
  provenance: [],
  vex: [],
  ...more,
});
const ledgerOf = (images: readonly object[], header: object = {}): string =>
  `${[{ type: 'header', format: 'ipo.ledger/1', exported_at: '2026-11-20T06:00:00Z', cluster: null, rows: 0, images: images.length, ...header }, ...images].map((line) => JSON.stringify(line)).join('\n')}\n`;

const report = (more: object): object => ({
  SchemaVersion: 2,
  CreatedAt: '2026-11-20T05:00:00Z',
  ArtifactName: 'web:1',
  ArtifactType: 'container_image',
  Results: [
    {
      Class: 'os-pkgs',
      Vulnerabilities: [
        {
          VulnerabilityID: 'CVE-2026-0009',
          PkgName: 'zlib',
          InstalledVersion: '1',
          FixedVersion: '1.2.10',
          Severity: 'CRITICAL',
        },
      ],
    },
  ],
  ...more,
});

const ENFORCE = { enforcement: 'Enforce' };
const noLatest = policy({ ...ENFORCE, denyLatestTag: true });
const critical = policy({ ...ENFORCE, severityThreshold: 'CRITICAL' });
const ledger = file(
  'ledger.ndjson',
  ledgerOf([
    image(A, ['docker.io/library/web:1'], [finding('CVE-2026-1', 'CRITICAL')]),
    image(B, ['docker.io/library/cart:1'], []),
  ]),
);

/** Runs the command for its JSON. */
async function answer(
  ...args: readonly string[]
): Promise<Ran & { document: CheckDocument; first: ImageDocument }> {
  const ran = await ipo(['check', '-o', 'json', ...args]);
  assert.notEqual(ran.out, '', ran.err);
  const document = JSON.parse(ran.out) as CheckDocument;
  const [first] = document.results;
  assert.ok(first);
  return { ...ran, document, first };
}

const DEPLOYMENT = `apiVersion: v1
kind: Service
metadata: { name: front, namespace: shop }
spec: { type: LoadBalancer, selector: { app: web } }
---
apiVersion: apps/v1
kind: Deployment
metadata: { name: web, namespace: shop }
spec:
  template:
    metadata:
      labels: { app: web }
      annotations: { ipo.dev/break-glass: outage 7 }
    spec:
      securityContext: { runAsUser: 1000 }
      containers:
        - name: web
          image: web:1
        - name: sidecar
          image: nginx
`;
const manifest = file('web.yaml', DEPLOYMENT);

describe('ipo check of images', () => {
  test('admits with 0 and refuses with 1', async () => {
    assert.equal((await ipo(['check', '-p', noLatest, 'nginx:1.27'])).code, 0);
    const { code, first, document } = await answer('-p', noLatest, 'nginx');
    assert.equal(code, 1);
    assert.deepEqual(
      [first.allowed, first.label, first.reason, first.policy, first.remedy],
      [false, 'tag', 'tag latest not allowed: nginx', 'shop', 'name a version or a digest'],
    );
    assert.deepEqual(
      [first.file, first.kind, first.container, first.namespace, first.signals],
      [null, null, null, 'default', null],
    );
    assert.deepEqual([document.refused, document.audited, document.undecided], [1, 0, 0]);
    assert.equal(first.decisions[0]?.policy_revision, first.policy_revision);
  });

  test('an audit policy refuses nothing but shows it; --enforce judges it as enforcing', async () => {
    const audit = policy({ denyLatestTag: true });
    const audited = await answer('-p', audit, 'nginx');
    assert.deepEqual(
      [audited.code, audited.first.allowed, audited.first.reason, audited.document.audited],
      [0, true, 'audit mode: tag latest not allowed: nginx', 1],
    );
    assert.equal((await answer('-p', audit, '--enforce', 'nginx')).code, 1);
  });

  test('all policies of all files are asked, in name order', async () => {
    const both = file(
      'both.yaml',
      ['z', 'b']
        .map((name) => `apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: {name: ${name}}\nspec: {}\n`)
        .join('---\n'),
    );
    const { first } = await answer('-p', both, '-p', policy(ENFORCE, 'm'), 'nginx:1');
    assert.deepEqual(
      first.decisions.map(({ policy: name }) => name),
      ['b', 'm', 'z'],
    );
  });

  test('a policy of other namespaces is not asked, which is said', async () => {
    const other = policy({ ...ENFORCE, denyLatestTag: true, targetNamespaces: ['shop'] });
    const { code, err, first } = await answer('-p', other, 'nginx');
    assert.deepEqual([code, first.policy, first.decisions], [0, null, []]);
    assert.match(err, /no policy governs the namespace default/);
    assert.equal((await answer('-p', other, '-n', 'shop', 'nginx')).code, 1);
  });

  test('a repository may be named as a file is', async () => {
    const { code, first } = await answer('-p', noLatest, 'ghcr.io/acme/schema.json');
    assert.deepEqual([code, first.label], [1, 'tag']);
  });

  test('help says each default once, and what --strict minds', async () => {
    const { out } = await ipo(['check', '--help']);
    const text = out.replace(/\s+/g, ' ');
    assert.doesNotMatch(text, /default: none/);
    assert.equal(text.split('(default: table)').length, 2);
    assert.match(text, /an object that may create pods was skipped/);
  });

  test('a reference that does not parse is told, beside the others, with 2', async () => {
    const { code, document, err } = await answer('-p', noLatest, 'NGINX:1', 'nginx:1');
    assert.equal(code, 2);
    assert.match(err, /^ipo: "NGINX:1" is not a valid image reference: it has a repository name /m);
    assert.deepEqual(
      document.results.map(({ allowed }) => allowed),
      [false, true],
    );
    assert.match(document.results[0]?.reason ?? '', /^registry not allowed: NGINX:1 has/);
    assert.equal(document.undecided, 0);
  });

  test('what a manifest names without a repository is refused as the webhook refuses it', async () => {
    const pods = ['sha256:3f8a1245aaaa', 'a'.repeat(64), 'NGINX:1'].map((image) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'web' },
      spec: { containers: [{ name: 'web', image }] },
    }));
    const unnamed = file('unnamed.json', { apiVersion: 'v1', kind: 'List', items: pods });
    const { code, document } = await answer('-p', noLatest, '-f', unnamed, '--allow-undecided');
    assert.equal(code, 1);
    assert.deepEqual(
      document.results.map(({ allowed, label }) => [allowed, label]),
      pods.map(() => [false, 'registry']),
    );
    const audit = await answer('-p', policy({ denyLatestTag: true }), '-f', unnamed);
    assert.equal(audit.code, 0);
    assert.match(audit.first.reason, /^audit mode: registry not allowed: /);
  });
});

describe('facts of a ledger', () => {
  test('by the digest of the reference, and as of when it was exported', async () => {
    const { code, first, document } = await answer('-p', critical, '-l', ledger, `web@${A}`);
    assert.deepEqual(
      [code, first.label, first.digest_from, first.scanned_at],
      [1, 'threshold', 'reference', '2026-11-19T06:00:00Z'],
    );
    assert.equal(first.remedy, 'update openssl to 2');
    assert.equal(document.as_of, '2026-11-20T06:00:00Z');
  });

  test('a tag finds its digest by name', async () => {
    const { code, first } = await answer('-p', critical, '-l', ledger, 'docker.io/library/web:1');
    assert.deepEqual([code, first.digest, first.digest_from], [1, A, 'ledger']);
  });

  test('a name of two images gives no digest, and a message says so', async () => {
    const two = file(
      'two.ndjson',
      ledgerOf([image(A, ['web:1'], []), image(B, ['docker.io/library/web:1'], [])]),
    );
    const { code, first, err } = await answer('-p', critical, '-l', two, '--strict', 'web:1');
    assert.deepEqual([code, first.allowed, first.digest, first.scanned], [1, null, null, false]);
    assert.match(err, /web:1: 2 images of the ledger have this name, so its digest is not clear/);
  });

  test('a triage decision is judged as of the given time', async () => {
    const triaged = file(
      'triaged.ndjson',
      ledgerOf([
        image(A, ['web:1'], [finding('CVE-2026-1', 'CRITICAL', { triaged_until: '2026-12-01T00:00:00Z' })]),
      ]),
    );
    assert.equal((await answer('-p', critical, '-l', triaged, 'web:1')).code, 0);
    assert.equal(
      (await answer('-p', critical, '-l', triaged, '--as-of', '2026-12-01T00:00:00Z', 'web:1')).code,
      1,
    );
  });

  test('an image without a scan is decided by the flag, else by the export, unless the policy says it', async () => {
    const cold = file('cold.ndjson', ledgerOf([], { cold_image_policy: 'DenyUntilScanned' }));
    assert.equal((await answer('-p', critical, '-l', cold, 'new:1')).first.label, 'unscanned');
    assert.equal(
      (await answer('-p', critical, '-l', cold, '--cold-image-policy', 'AllowAndScan', 'new:1')).code,
      0,
    );
    const waits = policy({ ...ENFORCE, admissionTiming: 'DenyUntilScanned' });
    assert.equal((await answer('-p', waits, '--cold-image-policy', 'AllowAndScan', 'new:1')).code, 1);
  });

  test('an image that could not be decided fails the check; --allow-undecided gives 0, and 5 under --strict', async () => {
    const blind = file('blind.ndjson', ledgerOf([image(A, ['web:1'], null)]));
    const { code, first, document, err } = await answer('-p', critical, '-l', blind, 'web:1');
    assert.deepEqual(
      [code, first.allowed, first.decisions[0]?.verdict, first.decisions[0]?.fact, document.undecided],
      [1, null, 'unknown', 'findings', 1],
    );
    assert.deepEqual(first.unknown, [{ fact: 'findings', reason: 'it was never recorded' }]);
    assert.match(
      err,
      /ipo: 1 image could not be decided, which fails the check; add --allow-undecided to accept this\n/,
    );
    const codeOf = async (...args: string[]) =>
      (await answer('-p', critical, '-l', blind, ...args, 'web:1')).code;
    assert.equal(await codeOf('--strict'), 1, 'a check that does not hold outweighs --strict');
    assert.equal(await codeOf('--allow-undecided'), 0);
    assert.equal(await codeOf('--allow-undecided', '--strict'), 5);
  });

  test('every format shows what could not be decided as failing, unless it is allowed', async () => {
    const blind = file('blind-formats.ndjson', ledgerOf([image(A, ['web:1'], null)]));
    for (const [format, failing, allowed] of [
      ['table', /1 not decided, which fails the check\n/, /1 not decided\n/],
      [
        'json',
        /"undecided":1,"open":1,"undecided_allowed":false/,
        /"undecided":1,"open":1,"undecided_allowed":true/,
      ],
      ['yaml', /undecided_allowed: false/, /undecided_allowed: true/],
      [
        'markdown',
        /check: ❌ 1 not decided\n[^]*❌ not decided/,
        /check: ❓ 1 not decided\n[^]*❓ not decided/,
      ],
      ['sarif', /"level":"error"/, /"level":"warning"/],
      ['junit', /failures="1"[^]*<failure type="undecided" message="not decided: /, /failures="0"/],
      ['github', /^::error /, /^::warning /],
    ] as const) {
      for (const flags of [[], ['--allow-undecided']]) {
        const { code, out } = await ipo([
          'check',
          '-o',
          format,
          '-p',
          critical,
          '-l',
          blind,
          ...flags,
          'web:1',
        ]);
        const isAllowed = flags.length > 0;
        assert.equal(code, isAllowed ? 0 : 1, format);
        const text = format === 'sarif' ? out.replaceAll(/"level": "/g, '"level":"') : out;
        assert.match(text, isAllowed ? allowed : failing, format);
      }
    }
  });
});

describe('reports of Trivy', () => {
  const local = file('local.json', report({}));
  const pushed = file(
    'pushed.json',
    report({ ArtifactName: 'ghcr.io/acme/web:1', Metadata: { RepoDigests: [`ghcr.io/acme/web@${A}`] } }),
  );

  test('by name, for an image that no registry has yet', async () => {
    const { code, first } = await answer('-p', critical, '-t', local, '--by-name', 'web:1');
    assert.deepEqual(
      [code, first.label, first.digest, first.remedy],
      [1, 'threshold', null, 'update zlib to 1.2.10'],
    );
  });

  test('by digest, and the digest of a tag', async () => {
    assert.equal((await answer('-p', critical, '-t', pushed, `elsewhere.example/web@${A}`)).code, 1);
    const { first } = await answer('-p', critical, '-t', pushed, '--by-name', 'ghcr.io/acme/web:1');
    assert.deepEqual([first.digest, first.digest_from], [A, 'trivy']);
  });

  test('a report of a directory judges no image, and a note says so', async () => {
    const made = file(
      'src.json',
      report({ ArtifactType: 'filesystem', ArtifactName: `ghcr.io/acme/web@${A}` }),
    );
    const { code, first, err } = await answer('-p', critical, '-t', made, `ghcr.io/acme/web:1@${A}`);
    assert.deepEqual([code, first.scanned], [0, false]);
    assert.match(
      err,
      /src\.json is of type "filesystem", not of a container image: no checked image has its digest/,
    );
  });

  test('a name does not speak for another digest', async () => {
    const { code, first, err } = await answer('-p', critical, '-t', pushed, `ghcr.io/acme/web:1@${B}`);
    assert.deepEqual([code, first.scanned], [0, false]);
    assert.match(
      err,
      /the report .*pushed\.json is of ghcr\.io\/acme\/web:1, which is not one of the checked images/,
    );
  });

  test('its scan goes before that of the ledger, which keeps triage and signatures', async () => {
    const known = file(
      'known.ndjson',
      ledgerOf([
        image(A, [], [finding('CVE-2026-0009', 'LOW', { triaged_until: '2027-01-01T00:00:00Z' })], {
          signatures: [{ identity: 'me', issuer: 'i' }],
        }),
      ]),
    );
    const signed = policy({ ...ENFORCE, signature: { required: true, identities: [{ identity: 'me' }] } });
    const { code, first } = await answer('-p', signed, '-t', pushed, '-l', known, `web@${A}`);
    assert.deepEqual([code, first.allowed, first.scanned_at], [0, true, '2026-11-20T05:00:00Z']);
  });

  test('of several reports on one image the newest counts, whatever their order', async () => {
    const older = file(
      'older.json',
      report({ CreatedAt: '2026-11-01T00:00:00Z', Results: [{ Class: 'os-pkgs' }] }),
    );
    for (const order of [
      [older, local],
      [local, older],
    ]) {
      assert.equal(
        (await answer('-p', critical, ...order.flatMap((path) => ['-t', path]), '--by-name', 'web:1')).code,
        1,
      );
    }
  });

  test('times of reports are compared as times, not as text', async () => {
    const older = file(
      'older-whole.json',
      report({ CreatedAt: '2026-11-20T05:00:00Z', Results: [{ Class: 'os-pkgs' }] }),
    );
    const newer = file('newer-half.json', report({ CreatedAt: '2026-11-20T05:00:00.5Z' }));
    for (const order of [
      [older, newer],
      [newer, older],
    ]) {
      assert.equal(
        (await answer('-p', critical, ...order.flatMap((path) => ['-t', path]), '--by-name', 'web:1')).code,
        1,
      );
    }
  });

  test('that a CVE is exploited holds, whichever of its findings was triaged', async () => {
    const kevBlocks = policy({ ...ENFORCE, severityThreshold: 'NONE', knownExploited: 'block' });
    const said = [
      finding('CVE-2026-0009', 'CRITICAL', { known_exploited: true }),
      finding('CVE-2026-0009', 'CRITICAL', { package: 'b', triaged_until: '2026-11-19T00:00:00Z' }),
    ];
    for (const findings of [said, said.toReversed()]) {
      const known = file('exploited.ndjson', ledgerOf([image(A, ['ghcr.io/acme/web:1'], findings)]));
      const { first } = await answer('-p', kevBlocks, '-t', pushed, '-l', known, `web@${A}`);
      assert.equal(first.reason, 'known exploited: CVE-2026-0009');
    }
  });

  test('a report without a scan for vulnerabilities does not count as clean', async () => {
    const secrets = file('secrets.json', report({ Results: [{ Class: 'secret' }] }));
    const { code, first } = await answer('-p', critical, '-t', secrets, '--by-name', 'web:1');
    assert.deepEqual(
      [code, first.allowed, first.scanned, first.unknown],
      [1, null, false, [{ fact: 'findings', reason: 'the report given found no packages' }]],
    );
    assert.match(first.remedy ?? '', /ipo triage add IMAGE --no-packages .* admissionTiming: AllowAndScan/);
  });

  test('a report that found no packages is refused where the webhook refuses for want of a scan, and admitted where the policy asks none', async () => {
    const empty = file('empty.json', report({ Results: [] }));
    const codes = async (spec: object, ...flags: string[]) => {
      const given = policy({ ...ENFORCE, ...spec });
      const { code, first } = await answer('-p', given, '-t', empty, '--by-name', ...flags, 'web:1');
      return [code, first.allowed, first.label];
    };
    const waits = { admissionTiming: 'DenyUntilScanned' };
    assert.deepEqual(await codes(waits), [1, false, 'unscanned']);
    assert.deepEqual(await codes({ ...waits, severityThreshold: 'NONE' }), [1, false, 'unscanned']);
    assert.deepEqual(await codes(waits, '--allow-undecided'), [1, false, 'unscanned']);
    assert.deepEqual(await codes({}, '--cold-image-policy', 'DenyUntilScanned'), [1, false, 'unscanned']);
    assert.deepEqual(await codes({ admissionTiming: 'AllowAndScan' }), [0, true, null]);
    assert.deepEqual(
      await codes({}, '--cold-image-policy', 'AllowAndScan'),
      [1, null, null],
      'as the page says (D-033)',
    );
    assert.deepEqual(
      await codes({}),
      [1, null, null],
      'the installation alone says that it may run unscanned',
    );
  });

  test('known exploited is unknown without the catalogue, and known with it', async () => {
    const kevBlocks = policy({ ...ENFORCE, severityThreshold: 'NONE', knownExploited: 'block' });
    assert.equal(
      (await answer('-p', kevBlocks, '-t', local, '--by-name', 'web:1')).first.decisions[0]?.fact,
      'known_exploited',
    );
    const other = file('kev-other.json', { vulnerabilities: [{ cveID: 'CVE-2020-0001' }] });
    assert.equal(
      (await answer('-p', kevBlocks, '-t', local, '--kev', other, '--strict', '--by-name', 'web:1')).code,
      0,
    );
    const listed = file('kev.json', { vulnerabilities: [{ cveID: 'CVE-2026-0009' }] });
    assert.equal(
      (await answer('-p', kevBlocks, '-t', local, '--kev', listed, '--by-name', 'web:1')).first.reason,
      'known exploited: CVE-2026-0009',
    );
  });

  test('of signatures a scan says nothing: unknown with a digest, none without', async () => {
    const signed = policy({ ...ENFORCE, signature: { required: true, identities: [{ identity: 'me' }] } });
    assert.equal(
      (await answer('-p', signed, '-t', pushed, 'ghcr.io/acme/web:1', '--offline', '--by-name')).first
        .decisions[0]?.fact,
      'signatures',
    );
    assert.equal(
      (await answer('-p', signed, '-t', local, 'web:1', '--offline', '--by-name')).first.label,
      'signature',
    );
  });
});

describe('manifests', () => {
  test('every image of a workload, with place, signals and what exposes it', async () => {
    const { code, document } = await answer('-p', noLatest, '-f', manifest);
    assert.equal(code, 1);
    assert.deepEqual(
      document.results.map(({ kind, name, namespace, container, image: text, line, allowed }) => [
        kind,
        name,
        namespace,
        container,
        text,
        line,
        allowed,
      ]),
      [
        ['Deployment', 'web', 'shop', 'web', 'web:1', 18, true],
        ['Deployment', 'web', 'shop', 'sidecar', 'nginx', 20, false],
      ],
    );
    assert.deepEqual(
      [document.results[0]?.signals, document.results[0]?.exposed_by],
      [['exposed'], 'Service shop/front'],
    );
    assert.deepEqual(
      document.pods.map(({ name, allowed, label }) => [name, allowed, label]),
      [['web', true, null]],
    );
  });

  test('the context of the pod escalates', async () => {
    const high = file('high.ndjson', ledgerOf([image(A, ['web:1'], [finding('CVE-2026-1', 'HIGH')])]));
    const escalates = policy({ ...ENFORCE, deploymentContext: { mode: 'Escalate' } });
    const { first } = await answer('-p', escalates, '-l', high, '-f', manifest);
    assert.equal(
      first.reason,
      'context exposed by Service shop/front: vulnerabilities at or above HIGH: CVE-2026-1',
    );
  });

  test('Services of another file expose it too, and stdin is a file', async () => {
    const [service = '', deployment = ''] = DEPLOYMENT.split('---\n');
    const ran = await ipo(
      ['check', '-o', 'json', '-p', noLatest, '-f', file('service.yaml', service), '-f', '-'],
      { stdin: deployment },
    );
    const document = JSON.parse(ran.out) as CheckDocument;
    assert.deepEqual(
      [document.results[0]?.exposed_by, document.results[0]?.file],
      ['Service shop/front', 'stdin'],
    );
  });

  test('workload hardening refuses the pod as a whole', async () => {
    const { code, document } = await answer(
      '-p',
      policy({ ...ENFORCE, workloadHardening: 'block' }),
      '-f',
      manifest,
    );
    assert.equal(code, 1);
    assert.deepEqual(
      document.results.map(({ allowed }) => allowed),
      [true, true],
    );
    const [pod] = document.pods;
    assert.deepEqual(
      [pod?.allowed, pod?.label, pod?.reason],
      [false, 'workload_hardening', 'workload hardening: exposed'],
    );
    assert.equal(document.refused, 1);
  });

  test('break-glass needs the annotation and --groups', async () => {
    const open = policy({
      ...ENFORCE,
      denyLatestTag: true,
      workloadHardening: 'block',
      breakGlass: { allowed: true, groups: ['sre'] },
    });
    assert.equal((await answer('-p', open, '-f', manifest)).document.refused, 2);
    assert.equal((await answer('-p', open, '-f', manifest, '--groups', 'dev')).document.refused, 2);
    const granted = await answer('-p', open, '-f', manifest, '--groups', 'dev,sre');
    assert.deepEqual(
      [granted.code, granted.first.break_glass, granted.first.break_glass_reason],
      [0, true, 'outage 7'],
    );
  });

  test('an unknown kind is named, and is inconclusive under --strict when it makes pods', async () => {
    const knative = file(
      'knative.yaml',
      'apiVersion: serving.knative.dev/v1\nkind: Service\nmetadata: {name: hello}\nspec: {template: {spec: {containers: [{image: x}]}}}\n',
    );
    const { code, err, out } = await ipo(['check', '-p', noLatest, '-f', knative, '--strict', '-o', 'json']);
    assert.equal(code, 5);
    assert.match(
      err,
      /knative\.yaml:2: skipped Service\.serving\.knative\.dev hello: .* seems to create pods/,
    );
    assert.equal((JSON.parse(out) as CheckDocument).skipped.length, 1);
    assert.equal((await ipo(['check', '-p', noLatest, '-f', knative])).code, 0);
  });

  test('a manifest without pods is said to have none', async () => {
    const { code, err } = await ipo([
      'check',
      '-p',
      noLatest,
      '-f',
      file('none.yaml', 'apiVersion: v1\nkind: ConfigMap\n'),
    ]);
    assert.equal(code, 0);
    assert.match(err, /none\.yaml contains no object that creates pods/);
  });
});

test('a flag of registries that has no effect is named', async () => {
  const flags = [
    '--registry-ca',
    'ca.pem',
    '--trust-root',
    'root.json',
    '--insecure-registry',
    'r.example:5000',
  ];
  for (const [when, why] of [
    [['--offline'], '--offline'],
    [['--registry', 'never'], '--registry never'],
  ] as const) {
    const { code, err } = await ipo(['check', '-p', noLatest, ...when, ...flags, 'web:1']);
    assert.equal(code, 0, err);
    for (const flag of ['--registry-ca', '--trust-root', '--insecure-registry'])
      assert.match(err, new RegExp(`^ipo: ${flag} has no effect with ${why}$`, 'm'));
  }
});

describe('facts of the pod when an image is given by name', () => {
  test('--signals and --exposed-by', async () => {
    const high = file('high-2.ndjson', ledgerOf([image(A, ['web:1'], [finding('CVE-2026-1', 'HIGH')])]));
    const escalates = policy({ ...ENFORCE, deploymentContext: { mode: 'Escalate' } });
    const base = ['-p', escalates, '-l', high, 'web:1'];
    const unseen = await answer(...base);
    assert.equal(unseen.code, 0);
    assert.match(unseen.err, /an image given by name has no pod/);
    assert.match(
      (await answer(...base, '--signals', 'privileged,root')).first.reason,
      /^context privileged: /,
    );
    const exposed = await answer(...base, '--exposed-by', 'Ingress shop/front');
    assert.match(exposed.first.reason, /^context exposed by Ingress shop\/front: /);
    assert.deepEqual(exposed.first.signals, ['exposed']);
    const by = ['--exposed-by', 'Ingress shop/front', '--signals'];
    const idle = await ipo(['check', '--offline', ...base, ...by, 'root']);
    assert.match(idle.err, /--exposed-by has no effect unless --signals names exposed/);
    assert.match(idle.out, /pod: root$/m);
    const both = await ipo(['check', '--offline', ...base, ...by, 'exposed,root']);
    assert.doesNotMatch(both.err, /has no effect/);
    assert.match(both.out, /pod: exposed \(by Ingress shop\/front\), root$/m);
  });

  test('--quota and --break-glass', async () => {
    const open = policy({ ...ENFORCE, breakGlass: { allowed: true, groups: ['sre'] } });
    const base = ['-p', open, '--quota', 'node ceiling of 3 exceeded', 'web:1'];
    assert.equal((await answer(...base)).first.label, 'quota');
    const without = await answer(...base, '--break-glass', 'outage');
    assert.equal(without.code, 1);
    assert.match(without.err, /break-glass has no effect without --groups/);
    assert.match(
      (await answer(...base, '--groups', 'sre')).err,
      /--groups has no effect without --break-glass/,
    );
    assert.equal(
      (await answer(...base, '--break-glass', 'outage', '--groups', 'sre')).first.break_glass,
      true,
    );
  });
});

describe('outputs', () => {
  test('the view has a block for each workload, and a line that sums up, without colour', async () => {
    const { out } = await ipo(['check', '-p', noLatest, '-f', manifest]);
    assert.match(out, /^✗ Deployment shop\/web {2}.*web\.yaml:8$/m);
    assert.match(out, /^ {2}✓ web {6}web:1 +no scan record$/m);
    assert.match(out, /^ {2}✗ sidecar {2}nginx +tag$/m);
    assert.match(out, /^ +tag latest not allowed: nginx$/m);
    assert.match(out, /^ +policy shop; to pass: name a version or a digest$/m);
    assert.match(out, /^ {4}pod: exposed \(by Service shop\/front\)$/m);
    assert.match(out, /^2 images of 1 pod as of .*: 1 denied, 1 allowed$/m);
    // oxlint-disable-next-line no-control-regex -- there must be none
    assert.doesNotMatch(out, /\u001b/);
    // oxlint-disable-next-line no-control-regex -- there must be some
    assert.match((await ipo(['check', '-p', noLatest, '-f', manifest], { tty: true })).out, /\u001b\[31m/);
  });

  test('every format in one run, and pipelines are led to the line of the image', async () => {
    const target = (format: string): string => join(directory, `out-${format}`);
    const formats = ['json', 'yaml', 'markdown', 'sarif', 'junit', 'github'];
    const { code, out } = await ipo([
      'check',
      '-p',
      noLatest,
      '-f',
      manifest,
      '-o',
      'table',
      ...formats.flatMap((format) => ['-o', `${format}=${target(format)}`]),
    ]);
    const read = (format: string): string => readFileSync(target(format), 'utf8');
    assert.equal(code, 1);
    assert.match(out, /1 denied/);
    assert.equal((JSON.parse(read('json')) as CheckDocument).refused, 1);
    assert.match(read('yaml'), /^refused: 1$/m);
    assert.match(read('markdown'), /^<!-- ipo-check -->\n### Image policy check: ❌ 1 denied\n/);
    assert.match(read('markdown'), /\| `nginx` \|/);
    const sarif = JSON.parse(read('sarif')) as {
      runs: {
        results: { ruleId: string; level: string; locations: { physicalLocation: { region: object } }[] }[];
      }[];
    };
    const [result, ...others] = sarif.runs[0]?.results ?? [];
    assert.deepEqual([result?.ruleId, result?.level, others.length], ['tag', 'error', 0]);
    assert.deepEqual(result?.locations[0]?.physicalLocation.region, { startLine: 20, startColumn: 11 });
    assert.match(read('junit'), /<testsuite name="ipo check" tests="3" failures="1"/);
    assert.match(
      read('github'),
      /^::error file=.*web\.yaml,line=20,col=11,title=Image denied%3A tag::Deployment shop\/web, sidecar: nginx: tag latest/,
    );
  });

  test('an image given by name is cited at the policy', async () => {
    const { out } = await ipo(['check', '-p', noLatest, 'nginx', '-o', 'github']);
    assert.match(out, /^::error file=.*policy-\d+\.json,line=1,/);
  });

  test('hostile text reaches no terminal, table or markup as it is', async () => {
    const evil = '\u001b[31m<b>|`x`';
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: evil },
      spec: { containers: [{ name: evil, image: evil }] },
    };
    const path = file('evil.json', pod);
    for (const format of ['table', 'markdown', 'junit', 'github']) {
      const { out, err } = await ipo(['check', '-p', noLatest, '-f', path, '-o', format]);
      // oxlint-disable-next-line no-control-regex -- there must be none
      assert.doesNotMatch(out + err, /[\u0000-\u0009\u000b-\u001f]/, format);
      if (format === 'junit') assert.doesNotMatch(out, /<b>/);
    }
  });
});

describe('logs of pipelines', () => {
  const evil = '##vso[task.setvariable variable=A]b ::error::c';
  /** No runner may find a command, whatever blanks it trims, and Azure finds its own within a line. */
  const noCommand = ({ out, err }: Ran): void => assert.doesNotMatch(out + err, /##|::[a-z]/i);

  test('foreign text gives no command in the view or the notes', async () => {
    const path = file('commands.json', {
      apiVersion: 'v1',
      kind: 'List',
      items: [
        {
          apiVersion: 'v1',
          kind: 'Pod',
          metadata: { name: evil, annotations: { 'ipo.dev/break-glass': `${'x '.repeat(50)}${evil}` } },
          spec: {
            containers: [
              { name: evil, image: evil },
              { name: 'b', image: '##[error]x' },
            ],
          },
        },
        { apiVersion: '::add-mask::x/v1', kind: evil, metadata: { name: evil } },
      ],
    });
    const bypass = policy({ ...ENFORCE, denyLatestTag: true, breakGlass: { allowed: true, groups: ['a'] } });
    const named = file('##vso[x] ::error::.json', readFileSync(path, 'utf8'));
    noCommand(
      await ipo(['check', '-p', bypass, '--groups', 'a', '-f', path, '-f', named, 'web', '-n', evil]),
    );
  });
});

describe('a comment is one that a forge takes', () => {
  test('whatever is in it', async () => {
    const pods = Array.from({ length: 120 }, (_, i) => ({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: `${i}${'`|'.repeat(100)}` },
      spec: { containers: [{ name: 'a', image: `${'|`'.repeat(100)}${i}` }] },
    }));
    const others = pods.map(({ metadata }) => ({ apiVersion: 'a/v1', kind: '`'.repeat(250), metadata }));
    const path = file('many.json', { apiVersion: 'v1', kind: 'List', items: [...pods, ...others] });
    const { out } = await ipo(['check', '-p', noLatest, '-f', path, '-o', 'markdown']);
    assert.ok(out.length <= 65_000, String(out.length));
    const rows = out.split('\n').filter((line) => line.startsWith('| ❌ denied')).length;
    assert.ok(rows > 15, String(rows));
    assert.match(out, new RegExp(`\n${120 - rows} more answers not listed here\\.\n`));
  });
});

describe('a wrong call says what is wrong', () => {
  const cases: readonly (readonly [string, readonly string[], number, RegExp])[] = [
    ['no policy', ['nginx'], 2, /no policy given/],
    ['nothing to check', ['-p', noLatest], 2, /no image or manifest given/],
    [
      'a manifest as an image',
      ['-p', noLatest, '-f', manifest, './b.yaml'],
      2,
      /\.\/b\.yaml: this is a file.*\n {2}Give each manifest with its own -f/,
    ],
    ['a file whose name could be an image', ['-p', noLatest, relative('', here)], 2, /this is a file/],
    [
      'an unknown signal',
      ['-p', noLatest, '--signals', 'priviledged', 'a:1'],
      2,
      /not a valid signal[^]*"privileged"/,
    ],
    ['what exposes, misnamed', ['-p', noLatest, '--exposed-by', 'shop/web', 'a:1'], 2, /'Service NS\/NAME'/],
    [
      'another sentence of the meter',
      ['-p', noLatest, '--quota', 'no more', 'a:1'],
      2,
      /monthly allowance of/,
    ],
    [
      'a sentence of the meter without its number',
      ['-p', noLatest, '--quota', 'node ceiling of banana', 'a:1'],
      2,
      /not a sentence of the gate quota/,
    ],
    [
      'facts of the pod beside manifests alone',
      ['-p', noLatest, '-f', manifest, '--signals', 'root'],
      2,
      /--signals applies only to images given by name/,
    ],
    ['a time that is none', ['-p', noLatest, '--as-of', 'today', 'a:1'], 2, /--as-of today/],
    [
      'another answer to cold images',
      ['-p', noLatest, '--cold-image-policy', 'Maybe', 'a:1'],
      2,
      /^ipo: --cold-image-policy Maybe: choose one of AllowAndScan, DenyUntilScanned$/m,
    ],
    ['stdin twice', ['-p', '-', '-f', '-'], 2, /only one input can come from stdin/],
    ['an unknown format', ['-p', noLatest, 'a:1', '-o', 'html'], 2, /not a format of this command/],
    [
      'two policies of one name',
      ['-p', noLatest, '-p', critical, 'a:1'],
      2,
      /two policies have the name "shop"/,
    ],
    [
      'an invalid policy',
      ['-p', policy({ denyLatestTag: 1 }), 'a:1'],
      2,
      /policy-\d+\.json:1:\d+: .*spec\.denyLatestTag/,
    ],
    [
      'an invalid manifest',
      ['-p', noLatest, '-f', file('bad.yaml', 'apiVersion: v1\nkind: Pod\nspec: 5\n')],
      2,
      /bad\.yaml:3:1: document 1: spec must be a mapping/,
    ],
    [
      'a manifest that is no text',
      ['-p', noLatest, '-f', file('latin.yaml', 'x')],
      2,
      /document 1: the document is not a Kubernetes object/,
    ],
    [
      'a manifest that is too large',
      ['-p', noLatest, '-f', file('large.yaml', '#'.repeat(9 * 1024 * 1024))],
      2,
      /larger than 8 MiB/,
    ],
    [
      'an invalid report',
      ['-p', noLatest, '-t', file('bad.json', '{"SchemaVersion":2,'), 'a:1'],
      2,
      /bad\.json: the report ends in the middle/,
    ],
    [
      'an invalid catalogue',
      ['-p', noLatest, '--kev', file('bad-kev.json', '{}'), 'a:1'],
      2,
      /bad-kev\.json: this is not a catalogue/,
    ],
    ['a damaged export', ['-p', noLatest, '-l', file('bad.ndjson', 'x'), 'a:1'], 2, /bad\.ndjson:1/],
    ['an unreadable policy', ['-p', '/no/such/policy', 'a:1'], 3, /no such file/],
    ['an unreadable manifest', ['-p', noLatest, '-f', '/no/such/manifest'], 3, /no such file/],
    ['an unreadable report', ['-p', noLatest, '-t', '/no/such/report', 'a:1'], 3, /no such file/],
    ['an unreadable export', ['-p', noLatest, '-l', '/no/such/export', 'a:1'], 3, /no such file/],
  ];
  for (const [name, args, expected, message] of cases) {
    test(name, async () => {
      const { code, err, out } = await ipo(['check', ...args]);
      assert.equal(code, expected, err);
      assert.match(err, message);
      assert.equal(out, '');
      assert.doesNotMatch(err, /\n {4}at /);
    });
  }
});

const DATA = new URL('../../../shared/data/', import.meta.url);
describe(
  'real reports and manifests',
  { skip: existsSync(DATA) ? false : 'the shared data is not here' },
  () => {
    const at = (path: string): string => new URL(path, DATA).pathname;

    test('a shop’s manifest and a report of one of its images', async () => {
      const { code, document } = await answer(
        '-p',
        critical,
        '-f',
        at('k8s/manifests/online-boutique.yaml'),
        '-t',
        at('trivy/real/adservice-ecr-alpine3.22.json'),
        '--by-name',
        '253343486660.dkr.ecr.ap-southeast-4.amazonaws.com/online-boutique/adservice:0.0.2',
      );
      assert.equal(code, 1);
      assert.equal(document.results.length, 14);
      assert.deepEqual(
        document.results.filter(({ allowed }) => allowed === false).map(({ label }) => label),
        ['threshold'],
      );
    });

    test('a system at its end of life, and a finding that is exploited', async () => {
      const strict = policy({
        ...ENFORCE,
        severityThreshold: 'NONE',
        endOfLifeOS: 'block',
        knownExploited: 'block',
      });
      const old = await answer(
        '-p',
        strict,
        '-t',
        at('trivy/eosl-alpine310-trivy0.72.json'),
        '--kev',
        at('kev/known_exploited_vulnerabilities.json'),
        '--by-name',
        'alpine:3.10',
      );
      assert.equal(old.first.reason, 'end of life OS: alpine 3.10.9');
      const spring = await answer(
        '-p',
        strict,
        '-t',
        at('trivy/golden/spring4shell-jre11.json'),
        '--kev',
        at('kev/known_exploited_vulnerabilities.json'),
        '--by-name',
        'ghcr.io/aquasecurity/trivy-test-images:spring4shell-jre11',
      );
      assert.equal(spring.first.reason, 'known exploited: CVE-2022-22965');
    });
  },
);
