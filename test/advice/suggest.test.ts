import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { createGunzip } from 'node:zlib';
import fc from 'fast-check';
import {
  matrixOf,
  openPopulation,
  suggest,
  suggestionText,
  type Population,
  type Suggestion,
} from '../../src/advice/index.ts';
import { parseImageFacts, type ImageFacts } from '../../src/facts/index.ts';
import { readExport, type LedgerRow } from '../../src/ledger/index.ts';
import { loadAuthoring, parsePolicies } from '../../src/policy/index.ts';
import { runWhatIf, sourceOf, type ReplaySource } from '../../src/whatif/index.ts';
import { parseTime } from '../../src/base/index.ts';
import { arbitraryFactsDocument, arbitraryLedgerRow, NOW, toLedger } from '../decision/arbitraries.ts';
import { runs } from '../runs.ts';

const { lintPolicies, formatPolicies } = await loadAuthoring();

function sourceFrom(rows: readonly LedgerRow[], facts: readonly ImageFacts[]): ReplaySource {
  const byDigest = new Map(facts.map((one) => [one.digest, one]));
  return {
    coldImagePolicy: 'AllowAndScan',
    policies: [],
    facts: (digest) => byDigest.get(digest),
    async *rows() {
      yield {
        ids: rows.map(({ id }) => id),
        times: rows.map(({ time }) => time),
        at: rows.map(({ time }) => parseTime(time)),
        pods: rows.map(({ pod }) => pod ?? null),
        shapes: rows,
      };
    },
  };
}

/** What every suggestion must hold; gives its text. */
async function held(
  population: Population,
  { steps, cost, tolerated, spec, ...rest }: Suggestion,
  source: ReplaySource,
): Promise<string> {
  assert.ok(cost <= tolerated);
  for (const step of steps)
    assert.ok(step.cost > tolerated, `${step.field} ${step.value} costs ${step.cost}`);
  // The matrix, on the suggestion as its base, finds no ordered value that is tighter and fits.
  const { items } = matrixOf(population, { name: 'x', spec });
  for (const { field } of steps.filter(({ value }) => !value.startsWith('without ') && !value.includes(' ')))
    for (const line of items.filter(
      (item) => item.field === field && !item.current && item.would_allow.rows === 0,
    ))
      assert.ok(
        line.would_deny.rows + line.undecided.rows + cost > tolerated ||
          isNotTighter(line.field, line.value, spec),
        `${line.field} ${line.value}`,
      );
  const text = suggestionText({ steps, cost, tolerated, spec, ...rest });
  const file = parsePolicies(text, 'suggested');
  assert.deepEqual(
    lintPolicies([file]).filter(({ level }) => level !== 'notice'),
    [],
    text,
  );
  assert.equal(formatPolicies(text, 'suggested').kind, 'formatted');
  const [parsed] = file.policies;
  assert.ok(parsed);
  const answer = await runWhatIf(
    { draft: parsed.policy, asOf: population.asOf, days: population.days, limit: 0, source: null },
    source,
  );
  assert.ok(answer.would_deny <= tolerated, `${answer.would_deny} denied`);
  return text;
}

const LOOSE_FIRST: Readonly<Record<string, readonly string[]>> = {
  'spec.denyLatestTag': ['false', 'true'],
  'spec.digestEnforcement': ['ignore', 'warn', 'require'],
  'spec.admissionTiming': ['AllowAndScan', 'DenyUntilScanned'],
  'spec.severityThreshold': ['NONE', 'CRITICAL', 'HIGH', 'MEDIUM', 'LOW'],
  'spec.ignoreUnfixed': ['true', 'false'],
  'spec.knownExploited': ['ignore', 'warn', 'block'],
  'spec.endOfLifeOS': ['ignore', 'warn', 'block'],
  'spec.workloadHardening': ['ignore', 'warn', 'block'],
};

function isNotTighter(field: string, value: string, spec: object): boolean {
  const order = LOOSE_FIRST[field];
  if (order === undefined) return true;
  const own = String((spec as Record<string, unknown>)[field.slice('spec.'.length)]);
  return order.indexOf(value) <= order.indexOf(own);
}

test('a suggestion denies no more than is tolerated, cannot be tightened, lints, and does not hang on the order of rows', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(arbitraryLedgerRow(), { minLength: 1, maxLength: 40 }).map(toLedger),
      fc.uniqueArray(arbitraryFactsDocument().map(parseImageFacts), {
        selector: ({ digest }) => digest,
        maxLength: 4,
      }),
      fc.constantFrom(0, 0, 1, 3, 10),
      fc.integer(),
      async (rows, facts, tolerated, seed) => {
        const options = { asOf: NOW, days: 90, namespaces: [] };
        const source = sourceFrom(rows, facts);
        const population = await openPopulation(source, options);
        const made = suggest(population, { name: 'suggested', tolerated, base: null });
        if (population.rows === 0) return;
        const hasNames = population.groups.some(({ allowed, subject }) => allowed && subject !== null);
        if (!hasNames) return; // nothing was allowed, so there is nothing to allow
        const text = await held(population, made, source);
        const mixed = rows.toSorted((a, b) => ((a.id * 7919 + seed) % 101) - ((b.id * 7919 + seed) % 101));
        const again = await openPopulation(sourceFrom(mixed, facts.toReversed()), options);
        assert.equal(suggestionText(suggest(again, { name: 'suggested', tolerated, base: null })), text);
      },
    ),
    { numRuns: runs(300) },
  );
});

const SHOP = join(import.meta.dirname, '../../fixtures/ledger/shop.ndjson.gz');
const shop = () => readExport(createReadStream(SHOP).pipe(createGunzip()), 'shop');

test('the suggestion for the shop, at several tolerances', async () => {
  const opened = await shop();
  const asOf = opened.header.exportedAt;
  const population = await openPopulation(sourceOf(opened), { asOf, days: 90, namespaces: [] });
  for (const tolerated of [0, 20, 600]) {
    const made = suggest(population, { name: 'suggested', tolerated, base: null });
    const text = await held(population, made, sourceOf(await shop()));
    if (tolerated === 0) {
      assert.match(text, /15 entries cover the 5,835 admissions of 64 images/);
      assert.match(text, /denyLatestTag: true/);
      assert.match(
        text,
        /1\. Scan the 6 images of which no scan is known[^]*3\. After fixing these images:[^]*name it by digest: docker\.io\/bitnami\/kubectl@sha256/,
      );
    } else assert.match(text, /severityThreshold: (?:CRITICAL|HIGH)/);
  }
});
