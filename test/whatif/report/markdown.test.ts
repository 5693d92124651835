import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MARKER, MOST_MARKDOWN, toMarkdown } from '../../../src/whatif/report/index.ts';
import { assertInert, cellsOf } from '../../render/markdown-check.ts';
import {
  emptyResult,
  fullResult,
  HOSTILE,
  hostileResult,
  quietResult,
  reportContext,
} from './sample-result.ts';

const context = reportContext({
  checks: [
    { check: 'would_deny', count: 214, tolerated: 100, broken: true },
    { check: 'tag', count: 11, tolerated: 20, broken: false },
  ],
});

test('a comment begins with the marker and says at once what matters', () => {
  const lines = toMarkdown(fullResult(), context).split('\n');
  assert.equal(lines[0], '<!-- ipo-whatif -->');
  assert.equal(lines[0], MARKER);
  assert.equal(lines[1], '<!-- ipo-whatif:tighten-prod -->', 'another policy has a comment of its own');
  assert.equal(lines[3], '### What-if: `tighten-prod`');
  assert.match(
    lines[5] ?? '',
    /^Of 5,000 admissions, `tighten-prod` would \*\*deny 214\*\* that were allowed and \*\*allow 12\*\* that were denied\. Compared with the prod-baseline in effect on the same facts, the draft denies 180 more rows/,
  );
});

test('a comment holds the figures, the changed fields, the reasons, the workloads and the notes', () => {
  const text = toMarkdown(fullResult(), context);
  assert.match(text, /\| would be denied \| 214 \| 4\.3 % \|/);
  assert.match(
    text,
    /```diff\n@@ spec\.severityThreshold @@\n- CRITICAL\n\+ HIGH\n@@ spec\.allowedRegistries @@\n- docker\.io\n\+ quay\.io\/example\n/,
  );
  assert.match(
    text,
    /\| would be denied \| `threshold`: vulnerabilities at or above the threshold \| 138 \|/,
  );
  assert.match(text, /\| denied \| 64 \| `shop\/cart` \| `registry\.example\.com\/shop\/cart:1\.14\.2` \|/);
  assert.match(text, /- :x: failed: `--fail-on would_deny=100` \(214 rows, 100 tolerated\)/);
  assert.match(text, /- :white_check_mark: passed: `--fail-on tag=20`/);
  assert.match(
    text,
    /9 rows \(the image reference does not parse: 2; the signatures were never recorded: 7\)/,
  );
  assert.match(text, /12 images without a scan record/);
  assert.match(text, /inputs `d1d1/);
});

test('the twenty heaviest workloads stand open, the others are folded, and what is not listed is counted', () => {
  const { groups } = hostileResult('plain');
  const text = toMarkdown(fullResult({ groups, groups_total: 150 }), context);
  const [open = '', folded = ''] = text.split('<details><summary>80 more workloads</summary>');
  const rows = (part: string): number => part.match(/^\| (denied|allowed) /gm)?.length ?? 0;
  assert.equal(rows(open), 20);
  assert.equal(rows(folded), 80);
  assert.match(folded, /50 further workloads are not listed\./);
});

test('a quiet answer is short', () => {
  const text = toMarkdown(quietResult(), reportContext());
  assert.match(text, /`refactor` would change nothing: all 5,000 admissions/);
  assert.ok(text.length < 1500);
  assert.doesNotMatch(text, /\*\*Workloads\*\*/);
});

test('an empty period says so and shows no figures', () => {
  const text = toMarkdown(emptyResult(), reportContext());
  assert.match(text, /No admission of the last 30 days is covered by `tighten-prod`/);
  assert.doesNotMatch(text, /would be denied/);
});

for (const text of HOSTILE) {
  test(`a comment stays inert and short with ${JSON.stringify(text.slice(0, 40))} everywhere`, () => {
    const markdown = toMarkdown(
      hostileResult(text),
      reportContext({
        file: text,
        version: text,
        checks: [{ check: text, count: 1, tolerated: 0, broken: true }],
      }),
    );
    assert.ok(markdown.length <= MOST_MARKDOWN, `${markdown.length} characters`);
    assertInert(markdown);
    const tables = markdown.match(/^\|.*\|$/gm) ?? [];
    assert.ok(tables.length > 20);
    for (const row of tables) assert.ok([2, 3, 6].includes(cellsOf(row).length), row);
  });
}

test('a comment is never too long, whatever fills it', () => {
  for (const piece of ['|', '`|', '\u0000', '`'.repeat(40), '漢', '&<', '_*[']) {
    const markdown = toMarkdown(hostileResult(piece.repeat(200)), context);
    assert.ok(markdown.length <= MOST_MARKDOWN, `${markdown.length} characters of ${piece}`);
  }
});
