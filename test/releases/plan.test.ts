import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { findRelease, judgeValues, planUpgrade, RELEASES, type Release } from '../../src/releases/index.ts';
import { MIGRATIONS } from '../../src/store/migrations/index.ts';

/** A table of all releases that is written independently of the catalogue. It is not part of the repository. */
const TABLE = join(import.meta.dirname, '../../../shared/spec/service.md');
const skip = existsSync(TABLE) ? false : 'the table of releases is not at hand';

interface Line {
  readonly version: string;
  readonly date: string;
  readonly substance: string;
}

/** The rows of the table, as they stand there. */
function linesOfTable(): readonly Line[] {
  const rows = readFileSync(TABLE, 'utf8').matchAll(/^\| (\d+\.\d+\.\d+) \| (\d{4}-\d\d-\d\d) \| (.+) \|$/gm);
  return [...rows].map(([, version = '', date = '', substance = '']) => ({ version, date, substance }));
}

/** What a row says of migrations, read by its words: `Migrations 0026 to 0032`, `(migration 0031)`, `Migration 0025`. */
function migrationsOf({ substance }: Line): number[] {
  const [, from, to] = /Migrations (\d{4}) to (\d{4})/.exec(substance) ?? [];
  if (from !== undefined) {
    const numbers: number[] = [];
    for (let number = Number(from); number <= Number(to); number += 1) numbers.push(number);
    return numbers;
  }
  const one = /(?:^|\. )Migration (\d{4})/.exec(substance)?.[1];
  return one === undefined ? [] : [Number(one)];
}

/** What an upgrade to a release asks for besides: written down by hand, apart from the catalogue. */
const BY_HAND: Readonly<
  Record<string, Partial<Record<'unread' | 'repeated' | 'cleared' | 'refused', string[]>>>
> = {
  '0.3.2': { cleared: ['image.tag'] },
  '1.2.0': {
    unread: ['integrations.detector.existingSecret', 'integrations.detector.minPriority'],
    refused: ['POST /api/v1/integrations/detector'],
  },
  '1.3.0': { refused: ['licence certificate without a node ceiling'] },
  '1.3.1': { refused: ['spec.runtime', 'action: block'] },
  '1.3.2': { repeated: ['falco.rules_files'] },
};
/** A row asks for the chart by its words: the chart upgrade, its role, a broken chart; 1.2.0 by the listener that only the chart opens. */
const asksForChart = ({ version, substance }: Line): boolean =>
  /needs the chart upgrade|chart role|Chart deployed the wrong binary/i.test(substance) ||
  version === '1.2.0';

test('the catalogue holds every row of the table, in its order and word for word', { skip }, () => {
  const plain = (text: string): string => text.replaceAll(/[`"]/g, '');
  assert.deepEqual(
    RELEASES.map(({ version, date, substance }) => ({ version, date, substance: plain(substance) })),
    linesOfTable().map((line) => ({ ...line, substance: plain(line.substance) })),
  );
});

test(
  'for every pair of releases the plan says what an independent reading of the table gives',
  { skip },
  () => {
    const lines = linesOfTable().toReversed(); // the oldest first
    let pairs = 0;
    lines.forEach((to, target) =>
      lines.forEach((from, place) => {
        const plan = planUpgrade(releaseOf(from), releaseOf(to));
        const over = lines.slice(place + 1, target + 1);
        const what = `${from.version} to ${to.version}`;
        pairs += 1;
        assert.equal(plan.direction, target > place ? 'up' : target < place ? 'back' : 'none', what);
        assert.deepEqual(
          plan.releases,
          over.map(({ version }) => version),
          what,
        );
        // The table numbers migrations from 0013 on; those before are of the releases before.
        assert.deepEqual(
          plan.migrations.filter((number) => number > 12),
          over.flatMap(migrationsOf),
          what,
        );
        assert.equal(plan.chart.upgrade, over.some(asksForChart), what);
        const names = (list: 'unread' | 'repeated' | 'cleared' | 'refused'): string[] =>
          over.flatMap(({ version }) => BY_HAND[version]?.[list] ?? []);
        assert.deepEqual(
          plan.values.unread.map(({ name }) => name),
          names('unread'),
          what,
        );
        assert.deepEqual(
          plan.values.repeated.map(({ name }) => name),
          names('repeated'),
          what,
        );
        assert.deepEqual(
          plan.values.cleared.map(({ name }) => name),
          names('cleared'),
          what,
        );
        assert.deepEqual(
          plan.refused.map(({ name }) => name),
          names('refused'),
          what,
        );
        assert.equal(plan.defect !== null, ['0.3.0', '0.3.1'].includes(to.version), what);
      }),
    );
    assert.equal(pairs, lines.length ** 2);
  },
);

function releaseOf({ version }: Line): Release {
  const release = findRelease(version);
  assert.ok(release !== null, version);
  return release;
}

test('every migration belongs to the release that the catalogue gives it to; what comes later belongs to the newest', () => {
  for (const { name, release } of MIGRATIONS) {
    const number = Number(name.slice(0, 4));
    if (number > 35) assert.equal(release, RELEASES[0]?.version, name);
    else {
      const owner = RELEASES.find(
        ({ migrations }) => migrations !== null && migrations[0] <= number && number <= migrations[1],
      );
      assert.equal(owner?.version, release, name);
    }
  }
});

test('versions stand newest first, each once, with dates that never rise', () => {
  const rank = ({ version }: Release): number =>
    version.split('.').reduce((sum, part) => sum * 1000 + Number(part), 0);
  RELEASES.slice(1).forEach((older, i) => {
    const newer = RELEASES[i];
    assert.ok(newer !== undefined && rank(newer) > rank(older) && newer.date >= older.date, older.version);
  });
  assert.equal(findRelease('v1.3.0')?.version, '1.3.0');
  assert.equal(findRelease('1.3'), null);
});

test('values of a file are told by what is to be done with them; what is not set is passed over', () => {
  const [first, last] = [findRelease('0.3.1'), findRelease('1.3.7')];
  assert.ok(first !== null && last !== null);
  const plan = planUpgrade(first, last);
  const acts = (file: unknown) => judgeValues(plan, file).map(({ name, act }) => `${act} ${name}`);
  const detector = { existingSecret: 'token', minPriority: '' };
  assert.deepEqual(
    acts({ image: { tag: '0.3.1' }, integrations: { detector }, falco: { rules_files: ['a'] } }),
    ['remove integrations.detector.existingSecret', 'clear image.tag', 'repeat falco.rules_files'],
  );
  assert.deepEqual(acts({ falco: { rules_files: ['/etc/falco/falco_rules.yaml', 'a'] } }), []);
  for (const file of [null, [], 'x', { image: null }, { image: { tag: null } }, { __proto__: { image: 1 } }])
    assert.deepEqual(acts(file), []);
});
