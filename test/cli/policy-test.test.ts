import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, suite, test } from 'node:test';
import { ipo } from './fake-terminal.ts';

const folder = mkdtempSync(join(tmpdir(), 'ipo-policy-test-'));
after(() => rmSync(folder, { recursive: true, force: true }));
const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};
mkdirSync(join(folder, 'policies'));
const policy = write(
  'policies/prod.yaml',
  `apiVersion: ipo.dev/v1
kind: ImagePolicy
metadata:
  name: prod
spec:
  severityThreshold: HIGH
  denyLatestTag: true
  allowedRegistries: [ghcr.io/acme]
  workloadHardening: block
  knownExploited: block
`,
);
const tests = (cases: string): string =>
  `apiVersion: ipo.dev/v1\nkind: PolicyTest\npolicy: prod.yaml\nat: "2026-11-20T06:00:00Z"\ncases:\n${cases}`;
const good = write(
  'policies/prod.test.yaml',
  tests(`  - name: a foreign registry is denied
    given: { image: docker.io/evil/web:1 }
    expect: registry
  - name: a high finding is denied by its name
    given:
      image: ghcr.io/acme/web:1
      facts:
        scan: { findings: [{ cve: CVE-2026-1, severity: HIGH, known_exploited: false }] }
    expect: { label: threshold, sentence: "vulnerabilities at or above HIGH: CVE-2026-1" }
  - name: a privileged pod is denied
    given:
      manifest: pod.yaml
    expect: workload_hardening
  - name: what the catalogue was never asked is undecided
    given:
      image: ghcr.io/acme/web:1
      facts:
        scan: { findings: [{ cve: CVE-2026-2, severity: LOW }] }
    expect: { undecided: known_exploited }
`),
);
write(
  'policies/pod.yaml',
  `apiVersion: v1
kind: Pod
metadata: { name: a, namespace: shop }
spec:
  containers:
    - name: a
      image: ghcr.io/acme/a:1
      securityContext: { privileged: true }
`,
);
const wrong = write(
  'wrong.test.yaml',
  tests(`  - name: latest passes
    policy: policies/prod.yaml
    given: { image: "ghcr.io/acme/web:latest" }
    expect: allowed
`),
);

suite('ipo policy test', () => {
  test('runs the tests of a directory, whose policies stay policies and tests tests', async () => {
    const ran = await ipo(['policy', 'test', join(folder, 'policies'), '-o', 'json', '--coverage']);
    assert.equal(ran.code, 0, ran.err + ran.out);
    const body = JSON.parse(ran.out);
    assert.deepEqual([body.total, body.passed, body.failed], [4, 4, 0]);
    assert.deepEqual(body.coverage, [
      {
        policy: 'prod',
        gates: [
          { label: 'registry', reached: 3, denied: 1 },
          { label: 'tag', reached: 2, denied: 0 },
          { label: 'threshold', reached: 2, denied: 1 },
          { label: 'known_exploited', reached: 1, denied: 0 },
          { label: 'workload_hardening', reached: 1, denied: 1 },
        ],
      },
    ]);
    rmSync(join(folder, 'policies/pod.yaml'));
    const lint = await ipo(['policy', 'lint', join(folder, 'policies')]);
    assert.equal(lint.code, 0, lint.out + lint.err);
    const alone = await ipo(['policy', 'test', good]);
    assert.equal(alone.code, 3, 'a manifest that is not there');
  });

  test('a failed case exits 1 in every format, and says what was expected and what came', async () => {
    for (const format of ['table', 'json', 'junit', 'github']) {
      const ran = await ipo(['policy', 'test', wrong, '-o', format]);
      assert.equal(ran.code, 1);
      assert.match(ran.out, /expected allowed, got ghcr\.io\/acme\/web:latest: denied: tag/);
    }
    const { out } = await ipo(['policy', 'test', wrong, '--coverage']);
    assert.match(out, /no case reached threshold, known_exploited, workload_hardening/);
    assert.match(out, /FAIL {2}latest passes/);
  });

  test('a file that is wrong is told with its place, and nothing runs', async () => {
    const faults: readonly (readonly [string, RegExp])[] = [
      [
        tests('  - name: a\n    given: {imag: x}\n    expect: allowed\n'),
        /:7:13: unknown field "cases\[0\]\.given\.imag"/,
      ],
      [
        tests('  - name: a\n    given: {image: x}\n    expect: registy\n'),
        /:8:5: cases\[0\]\.expect[^]*Did you mean "registry"/,
      ],
      [
        tests('  - name: a\n    given: {}\n    expect: allowed\n'),
        /has no image, pod or manifest to decide on/,
      ],
      [
        tests(
          '  - name: a\n    given: {image: x, facts: {scan: {findings: [{severity: HIGH}]}}}\n    expect: allowed\n',
        ),
        /scan\.findings\[0\]\.cve/,
      ],
      [
        tests(
          '  - name: a\n    given: {image: x, facts: {scan: {os: {family: debian, version: "9"}, findings: []}}}\n    expect: allowed\n',
        ),
        /:7:59: unknown field "facts\.scan\.os\.version"[^]*Its fields are eosl, family, name/,
      ],
      [
        tests(
          '  - name: a\n    given: {image: x, facts: {scan: {findings: [{cve: CVE-1, severity: HIGH, fixd: "2"}]}}}\n    expect: allowed\n',
        ),
        /"facts\.scan\.findings\.0\.fixd"[^]*Did you mean "fixed"/,
      ],
      ['', /holds no test case/],
      ['a: [', /document 1/],
      ['{"kind":"PolicyTest","apiVersion":"ipo.dev/v1","cases":[]}', /cases must not be empty/],
      ['{"kind":"PolicyTest","apiVersion":"ipo.dev/v1","cases":1}', /cases must be a list/],
      [
        tests('  - name: a\n    given: {image: x, coldImagePolicy: Maybe}\n    expect: allowed\n'),
        /coldImagePolicy must be AllowAndScan or DenyUntilScanned\n/,
      ],
      [
        tests('  - name: a\n    given: {image: x}\n    expect: {}\n'),
        /expect must be one of allowed, .*, or a mapping with label and sentence, or a mapping with undecided/,
      ],
      [
        tests('  - name: a\n    image: x\n    expect: registy\n'),
        /:6:5: cases\[0\]\.given is missing\n.*\n.*:7:5: unknown field "cases\[0\]\.image"\n {2}Write it below given\.\n.*:8:5: cases\[0\]\.expect/,
      ],
      [
        tests('  - name: a\n    given: {image: x}\n    expect: {allowed: false, label: registy}\n'),
        /:8:30: cases\[0\]\.expect\.label must be one of registry, tag, .*, workload_hardening\n {2}Did you mean "registry"\?/,
      ],
      [
        tests('  - name: a\n    given: {image: x}\n    expect: {label: tag, allowed: false}\n'),
        /:8:26: unknown field "cases\[0\]\.expect\.allowed"\n {2}Write label and sentence here, or undecided\./,
      ],
      [
        tests('  - name: a\n    given: {image: x}\n    expect: {label: allowed}\n'),
        /expect\.label must be one of registry, .*\n {2}Write "expect: allowed"\./,
      ],
      [
        tests('  - name: a\n    given: {image: x}\n    expect: {undecided: vexx}\n'),
        /expect\.undecided must be one of findings, .*, vex\n {2}Did you mean "vex"\?/,
      ],
      [
        tests('  - name: a\n    given: {image: x}\n    expect: {label: tag, sentence: 3}\n'),
        /expect\.sentence must be a text\n/,
      ],
    ];
    for (const [text, said] of faults) {
      const ran = await ipo(['policy', 'test', '-'], { stdin: text });
      assert.equal(ran.code, 2, text);
      assert.match(ran.err, said);
      assert.equal(ran.out, '');
    }
  });

  test('--record writes a case that passes, and that fails once the policy changes', async () => {
    const ledger = 'fixtures/ledger/shop.ndjson.gz';
    const target = join(folder, 'recorded.test.yaml');
    const image = 'docker.io/nicolaka/netshoot:v0.11';
    const args = ['policy', 'test', '--record', image, '-p', policy, '-l', ledger, '--offline'];
    const recorded = await ipo([...args, '-o', `yaml=${target}`]);
    assert.equal(recorded.code, 0, recorded.err);
    assert.equal((await ipo(['policy', 'test', target])).code, 0);
    writeFileSync(
      policy,
      'apiVersion: ipo.dev/v1\nkind: ImagePolicy\nmetadata: {name: prod}\nspec: {denyLatestTag: true}\n',
    );
    const changed = await ipo(['policy', 'test', target]);
    assert.equal(changed.code, 1);
    assert.match(changed.out, /expected denied: registry/);
    assert.equal((await ipo(['policy', 'test', target, '--record', image])).code, 2);
    assert.equal((await ipo(['policy', 'test', target, '--ledger', ledger])).code, 2);
    assert.equal((await ipo(['policy', 'test'])).code, 2);
  });
});
