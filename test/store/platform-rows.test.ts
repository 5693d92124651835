import assert from 'node:assert/strict';
import { test } from 'node:test';
import { canonicalJson } from '../../src/base/index.ts';
import { readExport } from '../../src/ledger/index.ts';
import { leafText } from '../../src/ledger/leaf.ts';
import { judgeRunning } from '../../src/reconcile/index.ts';
import { AdmissionFacts } from '../../src/store/admission/facts.ts';
import { readFacts } from '../../src/store/facts/facts.ts';
import { ledgerWriter } from '../../src/store/ledger/append.ts';
import { replaySource } from '../../src/store/replay/source.ts';
import { seePlatforms } from '../../src/store/facts/node-platforms.ts';
import { recordScan } from '../../src/store/scans/scans.ts';
import { runSelfCheck, runWhatIf, sourceOf } from '../../src/whatif/index.ts';
import { openReviewer, policyOf, reviewOf } from '../admission/reviews.ts';
import { container, context, podOf } from '../reconcile/parts.ts';
import { forEachEngine } from './engines.ts';
import { AT, digestOf, finding, scanOf } from './image-records.ts';
import { bytesOf, exported, fill, openWhole, treeOf } from './made-ledger.ts';

const D = digestOf(1);
const IMAGE = `ghcr.io/acme/web@${D}`;
const POLICY = policyOf(
  '{ enforcement: Enforce, severityThreshold: CRITICAL, admissionTiming: DenyUntilScanned }',
);
const ENTRIES = ['amd64', 'arm64', 's390x'].map((name, i) => ({
  platform: `linux/${name}`,
  digest: digestOf(101 + i),
}));
const onlyOn = (...values: readonly string[]) => ({
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'kubernetes.io/arch', operator: 'In', values }] }],
    },
  },
});

/** What says where a pod runs, which platform it is judged by, and whether it is admitted. */
const PODS = [
  [{}, undefined, false],
  [{ nodeSelector: { 'kubernetes.io/arch': 'arm64' } }, 'linux/arm64', true],
  [{ nodeSelector: { 'kubernetes.io/arch': 'amd64', other: 'x' } }, 'linux/amd64', false],
  [
    { nodeSelector: { 'kubernetes.io/arch': 'arm64', 'kubernetes.io/os': 'windows' } },
    'windows/arm64',
    false,
  ],
  [{ nodeSelector: { 'kubernetes.io/arch': 's390x' } }, 'linux/s390x', false],
  [{ nodeSelector: { 'kubernetes.io/arch': 'no such/thing' } }, undefined, false],
  [{ nodeName: 'arm-1' }, 'linux/arm64', true],
  [{ nodeName: 'amd-1', nodeSelector: { 'kubernetes.io/arch': 'arm64' } }, 'linux/amd64', false],
  [{ nodeName: 'unknown', nodeSelector: { 'kubernetes.io/arch': 'arm64' } }, undefined, false],
  [{ affinity: onlyOn('arm64') }, 'linux/arm64', true],
  [{ affinity: onlyOn('arm64', 'amd64') }, undefined, false],
  [{ nodeSelector: 7, affinity: [] }, undefined, false],
] as const;
const NODES = new Map([
  ['arm-1', 'linux/arm64'],
  ['amd-1', 'linux/amd64'],
]);

forEachEngine('rows of platforms', (engine) => {
  test('a pod is judged by the platform of its nodes where that is known, else by the worst, and replayed by the same', async (t) => {
    const store = await engine.open(t);
    await seePlatforms(store, 'east', ['linux/amd64', 'linux/arm64', 'linux/s390x'], 'linux/amd64', AT);
    for (const [platform, found] of [
      ['linux/amd64', [finding('CVE-AMD', 'CRITICAL')]],
      ['linux/arm64', [finding('CVE-ARM', 'LOW')]],
    ] as const)
      await store.write((transaction) =>
        recordScan(transaction, {
          ...{ digest: D, names: [], source: null, platform, entries: ENTRIES, at: AT },
          scan: scanOf(found),
        }),
      );
    const recorded = new AdmissionFacts(store);
    await recorded.warm();
    const { reviewer, rows, ask } = openReviewer([POLICY], {
      facts: recorded,
      platformOf: (node: string) => NODES.get(node) ?? null,
    });
    for (const [where, , allowed] of PODS) {
      const answer = await ask(reviewOf({ spec: { ...where, containers: [{ name: 'web', image: IMAGE }] } }));
      assert.equal(answer.allowed, allowed, JSON.stringify(where));
    }
    assert.ok(reviewer);
    const decided = rows();
    assert.deepEqual(
      decided.map(({ platform }) => platform ?? undefined),
      PODS.map(([, platform]) => platform),
    );
    // Of a platform without a scan the findings of the others count, and it is denied as not scanned.
    assert.equal(decided[4]?.label, 'unscanned');
    assert.equal(decided[0]?.label, 'unscanned');

    await fill(store, {
      rows: [],
      facts: [],
      revisions: [POLICY],
      current: [POLICY],
      coldImagePolicy: 'AllowAndScan',
      containers: 1,
    });
    await ledgerWriter(store).appendAll(decided.map((row, i) => ({ uid: `uid-${i}`, rows: [row] })));
    const tree = await treeOf(store);
    const text = await exported(store, { tree });
    const whole = await openWhole(text);
    for await (const { shapes } of whole.rows())
      for (const row of shapes) {
        const { type, ...line } = row as typeof row & { type?: string };
        assert.ok(type === undefined || type === 'row');
        assert.equal(leafText(row), canonicalJson(line));
        assert.equal('platform' in row, Boolean(row.platform), 'absent where none was known');
      }
    const request = { asOf: AT + 1000, days: 7, limit: 0 };
    const source = await replaySource(store, { coldImagePolicy: 'AllowAndScan' });
    const ledger = () => readExport(bytesOf(text), 'ledger.ndjson');
    const checked = await runSelfCheck(request, source);
    assert.deepEqual(
      [checked.checked, checked.reproduced, checked.inputs_changed, checked.mismatch, checked.unknown],
      [PODS.length, PODS.length, 0, 0, 0],
    );
    assert.deepEqual(await runSelfCheck(request, sourceOf(await ledger())), checked);
    const draft = policyOf('{ enforcement: Enforce, severityThreshold: LOW }');
    const asked = { ...request, draft, source: null };
    const live = await runWhatIf(asked, await replaySource(store, { coldImagePolicy: 'AllowAndScan' }));
    assert.deepEqual(await runWhatIf(asked, sourceOf(await ledger())), live);
    assert.equal(
      live.would_deny,
      PODS.filter(([, , allowed]) => allowed).length,
      'by the findings of their own platform',
    );

    const facts = new Map([[D, (await readFacts(store.read, D)) ?? assert.fail()]]);
    for (const [platform, allowed] of [
      ['linux/arm64', true],
      ['linux/amd64', false],
      [null, false],
    ] as const) {
      const pod = podOf(1, { containers: [container(D, { image: IMAGE })], platform });
      assert.equal(judgeRunning(pod, null, context([POLICY], { facts })).allowed, allowed, String(platform));
    }
  });
});
