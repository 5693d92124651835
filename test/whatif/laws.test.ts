import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import fc from 'fast-check';
import { DAY_MS, formatTime, parseTime } from '../../src/base/index.ts';
import { exportLines, type LedgerRow } from '../../src/ledger/index.ts';
import { governs, type Policy, type PolicySpec } from '../../src/policy/index.ts';
import { parseImageFacts, type ImageFacts } from '../../src/facts/index.ts';
import type { WhatIfResult } from '../../src/whatif/index.ts';
import {
  arbitraryFactsDocument,
  arbitraryLedgerRow,
  arbitraryPolicySpec,
  NOW,
  policyOf,
  toLedger,
} from '../decision/arbitraries.ts';
import { TIGHTENINGS } from '../decision/tighten.ts';
import { ask } from './ledger-text.ts';
import { runs } from '../runs.ts';

const ROOT = resolve(import.meta.dirname, '../..');

interface Ledger {
  readonly rows: readonly LedgerRow[];
  readonly facts: readonly ImageFacts[];
  readonly policies: readonly Policy[];
}

const ledgers: fc.Arbitrary<Ledger> = fc
  .tuple(arbitraryPolicySpec(), arbitraryPolicySpec())
  .map(([first, second]) => [policyOf(first, 'first'), policyOf(second, 'second')])
  .chain((policies) =>
    fc.record({
      rows: fc.array(arbitraryLedgerRow(policies), { maxLength: 40 }).map(toLedger),
      facts: fc.uniqueArray(arbitraryFactsDocument().map(parseImageFacts), {
        selector: ({ digest }) => digest,
        maxLength: 4,
      }),
      policies: fc.constant(policies),
    }),
  );

async function textOf({ rows, facts, policies }: Ledger): Promise<string> {
  const parts: string[] = [];
  for await (const block of exportLines({
    header: {
      exportedAt: NOW,
      cluster: 'shop-eu',
      coldImagePolicy: 'AllowAndScan',
      rows: rows.length,
      images: facts.length,
      from: null,
      to: null,
    },
    policies: policies.map(({ name, revision, spec }) => ({
      name,
      revision,
      current: true,
      document: { apiVersion: 'ipo.dev/v1', kind: 'ImagePolicy', metadata: { name }, spec },
    })),
    images: facts,
    rows: [rows],
  })) {
    parts.push(block);
  }
  return parts.join('');
}

const sum = (counts: Readonly<Record<string, number>>): number =>
  Object.values(counts).reduce((a, b) => a + b, 0);
const limits = fc.constantFrom(0, 1, 3, 10, 5000);

test('every covered row is in exactly one count, and the parts add up', async () => {
  await fc.assert(
    fc.asyncProperty(
      ledgers,
      arbitraryPolicySpec(),
      fc.integer({ min: 1, max: 90 }),
      async (ledger, spec, days) => {
        const draft = policyOf(spec);
        const result = await ask(draft, await textOf(ledger), { days, limit: 0 });
        const covered = ledger.rows.filter(
          (row) =>
            (row.kind ?? 'review') === 'review' &&
            row.image !== null &&
            row.pod_level !== true &&
            governs(draft, row.namespace ?? '') &&
            parseTime(row.time) >= NOW - days * DAY_MS,
        );
        assert.equal(result.unchanged + result.would_deny + result.would_allow, result.evaluated);
        assert.equal(
          result.evaluated + result.not_evaluated.count + result.break_glass_skipped,
          covered.length,
        );
        assert.equal(sum(result.would_deny_by_reason), result.would_deny);
        assert.equal(sum(result.would_allow_by_reason), result.would_allow);
        assert.equal(sum(result.not_evaluated.by_reason), result.not_evaluated.count);
        assert.equal(
          result.groups.reduce((total, { rows }) => total + rows, 0),
          result.would_deny + result.would_allow,
        );
        assert.equal(
          result.by_day.reduce((total, day) => total + day.evaluated, 0),
          result.evaluated,
        );
        assert.equal(result.samples.length, result.would_deny + result.would_allow);
        assert.ok(result.unscanned_total <= result.distinct_images);
        assert.equal(result.truncated, false);
      },
    ),
    { numRuns: runs(150) },
  );
});

test('a limit decides the newest rows, and says when it cut something off', async () => {
  await fc.assert(
    fc.asyncProperty(
      ledgers,
      arbitraryPolicySpec(),
      fc.integer({ min: 1, max: 30 }),
      async (ledger, spec, limit) => {
        const text = await textOf(ledger);
        const [all, some] = [
          await ask(policyOf(spec), text, { limit: 0 }),
          await ask(policyOf(spec), text, { limit }),
        ];
        assert.equal(some.evaluated, Math.min(limit, all.evaluated));
        assert.deepEqual(some.samples, all.samples.slice(0, some.samples.length));
        if (!some.truncated)
          assert.deepEqual({ ...some, limit: 0, inputs_digest: '' }, { ...all, inputs_digest: '' });
        else assert.ok(all.evaluated >= limit);
      },
    ),
    { numRuns: runs(100) },
  );
});

test('equal digests give equal bytes; the layout of the file and its chunks make no difference', async () => {
  const seen = new Map<string, string>();
  const keep = (result: WhatIfResult): void => {
    const bytes = JSON.stringify(result);
    assert.equal(seen.get(result.inputs_digest) ?? bytes, bytes);
    seen.set(result.inputs_digest, bytes);
  };
  const change = fc.constantFrom(
    'label',
    'reason',
    'pod',
    'time',
    'signals',
    'namespace',
    'cluster',
    'container',
    'policy_revision',
    'exposed_by',
    'allowed',
  );
  await fc.assert(
    fc.asyncProperty(
      ledgers,
      arbitraryPolicySpec(),
      limits,
      change,
      fc.nat(),
      async (ledger, spec, limit, field, at) => {
        const text = await textOf(ledger);
        const draft = policyOf(spec);
        const plain = await ask(draft, text, { limit });
        keep(plain);
        const shuffled = text.split('\n').map((line) => {
          if (!line.startsWith('{"type":"row"')) return line;
          return JSON.stringify(Object.fromEntries(Object.entries(JSON.parse(line) as object).toReversed()));
        });
        assert.deepEqual(await ask(draft, shuffled.join('\n'), { limit, chunk: 97 }), plain);
        // One thing changed: either the answer is the same, or the digest is another.
        const rows = ledger.rows.map((row, i) => {
          if (i !== at % ledger.rows.length) return row;
          const other: Record<string, unknown> = {
            ...row,
            [field]: field === 'signals' ? ['root'] : field === 'allowed' ? !row.allowed : 'other',
          };
          if (field === 'time') other.time = formatTime(parseTime(row.time) + 1000);
          return other as unknown as LedgerRow;
        });
        keep(await ask(draft, await textOf({ ...ledger, rows }), { limit }));
        keep(await ask(draft, await textOf({ ...ledger, facts: ledger.facts.slice(1) }), { limit }));
        keep(await ask(draft, await textOf({ ...ledger, policies: ledger.policies.slice(1) }), { limit }));
        keep(await ask(draft, text, { limit, days: 7 }));
        keep(await ask(draft, text, { limit, source: 'second' }));
      },
    ),
    { numRuns: runs(80) },
  );
});

test('a tighter draft never admits more', async () => {
  await fc.assert(
    fc.asyncProperty(
      ledgers,
      arbitraryPolicySpec(),
      fc.constantFrom(...TIGHTENINGS),
      async (ledger, spec, tightening) => {
        const tighter: PolicySpec | null = tightening.apply(spec);
        fc.pre(tighter !== null);
        const text = await textOf(ledger);
        const [loose, tight] = [await ask(policyOf(spec), text), await ask(policyOf(tighter), text)];
        fc.pre(loose.not_evaluated.count === 0 && tight.not_evaluated.count === 0);
        assert.ok(
          tight.would_deny >= loose.would_deny,
          `${tightening.name}: ${tight.would_deny} < ${loose.would_deny}`,
        );
        assert.ok(
          tight.would_allow <= loose.would_allow,
          `${tightening.name}: ${tight.would_allow} > ${loose.would_allow}`,
        );
        assert.equal(tight.evaluated, loose.evaluated);
      },
    ),
    { numRuns: runs(300) },
  );
});

test('the draft that is in effect has no effect of its own', async () => {
  await fc.assert(
    fc.asyncProperty(ledgers, async (ledger) => {
      const [first] = ledger.policies;
      assert.ok(first);
      const { baseline } = await ask(first, await textOf(ledger), { source: 'first' });
      assert.deepEqual(baseline.policy_effect, { would_deny: 0, would_allow: 0 });
    }),
    { numRuns: runs(100) },
  );
});

test('a replay writes nothing, starts nothing and opens no socket', () => {
  // The permissions take files and processes; what is put before the program takes the network.
  const guard = `
    import net from 'node:net'; import dgram from 'node:dgram'; import dns from 'node:dns';
    const refuse = (what) => () => { throw new Error('a replay must not ' + what); };
    net.Socket.prototype.connect = refuse('connect');
    net.Server.prototype.listen = refuse('listen');
    dgram.createSocket = refuse('open a datagram socket');
    dns.lookup = refuse('look a name up');
    globalThis.fetch = refuse('fetch');
  `;
  const args = [
    '--permission',
    '--allow-fs-read=*',
    '--import',
    `data:text/javascript,${encodeURIComponent(guard)}`,
    join(ROOT, 'bin/ipo.cjs'),
    'whatif',
    join(ROOT, 'fixtures/policies/tighten.yaml'),
    '--ledger',
    join(ROOT, 'fixtures/ledger/shop.ndjson.gz'),
    '-o',
    'json',
  ];
  const child = spawnSync(process.execPath, args, { encoding: 'utf8', maxBuffer: 64 * 1024 * 1024 });
  assert.equal(child.status, 0, child.stderr);
  assert.equal((JSON.parse(child.stdout) as WhatIfResult).evaluated, 5000);
  const writes = spawnSync(process.execPath, [...args.slice(0, -1), 'json=/nonexistent/x.json'], {
    encoding: 'utf8',
  });
  assert.equal(writes.status, 3, 'the guard holds: a result asked for as a file cannot be written');
});
