import assert from 'node:assert/strict';
import { test } from 'node:test';
import { adfProblem } from '../../fakes/index.ts';
import { githubRoom } from '../../src/adapters/github/index.ts';
import { toBody } from '../../src/adapters/github/compose.ts';
import { gitlabRoom } from '../../src/adapters/gitlab/index.ts';
import { toDescription, toNote } from '../../src/adapters/gitlab/compose.ts';
import { jiraRoom } from '../../src/adapters/jira/index.ts';
import { toText } from '../../src/adapters/jira/compose.ts';
import type { Described } from '../../src/trackers/compose-parts.ts';
import { composeSummary } from '../../src/trackers/compose-summary.ts';
import type { Block, SummaryRoom } from '../../src/trackers/index.ts';
import { problemsOf, type Schema } from '../fakes/json-schema.ts';
import { noVendorData, vendorData } from '../fakes/vendor.ts';
import { describedFinding } from './findings.ts';

const MARKER = 'ipo-1-aaaaaaaaaaaaaaaaaaaaaaaaaa';

interface Sent {
  readonly room: SummaryRoom;
  readonly limit: number;
  issue(blocks: readonly Block[]): string;
  comment(blocks: readonly Block[]): string;
}

/** What is sent to each tracker, and its limit. */
const TRACKERS: Readonly<Record<string, Sent>> = {
  github: {
    room: githubRoom,
    limit: 65_536,
    issue: (blocks) => toBody(blocks, MARKER),
    comment: (blocks) => toBody(blocks, MARKER),
  },
  gitlab: {
    room: gitlabRoom,
    limit: 1_000_000,
    issue: (blocks) => toDescription(blocks, MARKER),
    comment: (blocks) => toNote(blocks, MARKER),
  },
  'jira cloud': {
    room: jiraRoom(3),
    limit: 32_767,
    issue: (blocks) => JSON.stringify(toText(3, blocks, null)),
    comment: (blocks) => JSON.stringify(toText(3, blocks, MARKER)),
  },
  'jira data center': {
    room: jiraRoom(2),
    limit: 32_767,
    issue: (blocks) => toText(2, blocks, null) as string,
    comment: (blocks) => toText(2, blocks, MARKER) as string,
  },
};

/** The longest names that are usual: a registry of a cloud provider, a package of Java with four-part versions, CVE ids of seven digits. */
function firstRun(count: number, images: number): readonly Described[] {
  return Array.from({ length: count }, (_, at) =>
    describedFinding({
      cve: `CVE-2026-${1_000_000 + at}`,
      digest: `sha256:${`${at % images}`.padStart(64, '0')}`,
      dueDate: null,
      knownExploited: at % 50 === 0,
      image: {
        names: [
          `123456789012.dkr.ecr.eu-central-1.amazonaws.com/payments/checkout-service-${at % images}:2026.11.21`,
        ],
        namespaces: ['payments', 'payments-canary'],
      },
      packages: [
        {
          name: `com.fasterxml.jackson.core:jackson-databind-${at}`,
          installed: '2.9.10.1',
          fixed: '2.9.10.4',
        },
      ],
    }),
  );
}

function idsIn(text: string): Set<string> {
  return new Set(text.match(/CVE-2026-\d{7}/g));
}

for (const [name, { room, limit, issue, comment }] of Object.entries(TRACKERS)) {
  for (const [count, images] of [
    [6, 2],
    [100, 50],
    [500, 50],
    [500, 3],
  ] as const)
    test(`the issue of ${name} lists all ${count} findings of a first run in ${images} images`, () => {
      const { body, more } = composeSummary(firstRun(count, images), room);
      const texts = [issue(body), ...more.map(comment)];
      for (const text of texts) assert.ok(Buffer.byteLength(text) <= limit, `${Buffer.byteLength(text)}`);
      assert.equal(idsIn(texts[0] ?? '').size, count);
      // Whatever the issue has no room for, its comments tell: the package of each.
      assert.equal(new Set(texts.join('').match(/jackson.{0,2}-databind.{0,2}-\d+/g)).size, count);
      assert.doesNotMatch(texts.join(''), /left out/);
    });

  for (const [count, images] of [
    [2000, 300],
    [7000, 900],
  ] as const)
    test(`the issue of ${name} and its comments list all ${count} findings of a first run, each once, and say where the rest is`, () => {
      const { body, more } = composeSummary(firstRun(count, images), room);
      const texts = [issue(body), ...more.map(comment)];
      for (const text of texts) {
        assert.ok(Buffer.byteLength(text) <= limit, `${Buffer.byteLength(text)}`);
        assert.doesNotMatch(text, /left out/);
      }
      const [first = '', ...rest] = texts;
      const listed = texts.flatMap((text) => [...(text.match(/CVE-2026-\d{7}/g) ?? [])]);
      assert.equal(new Set(listed).size, count);
      if (rest.length > 0) {
        const [, comments] = /follow in (?:a|(\d+)) comments? on this issue/.exec(first) ?? [];
        assert.equal(Number(comments ?? 1), rest.length);
        rest.forEach((text, at) =>
          assert.match(text, new RegExp(`Comment ${at + 1} of ${rest.length} with the list`)),
        );
        // Each range goes on where the last ended, and holds as many as it says.
        let last = /first (\d+) of/.exec(first)?.[1] ?? '0';
        for (const text of rest) {
          const [, from = '', to = ''] = new RegExp(`Findings (\\d+) to (\\d+) of ${count}`).exec(text) ?? [];
          assert.equal(Number(from), Number(last) + 1);
          assert.equal(idsIn(text).size, Number(to) - Number(last));
          last = to;
        }
        assert.equal(Number(last), count);
      }
      // Texts are full: there are no more of them than are needed.
      for (const text of rest.slice(0, -1)) assert.ok(text.length > room.comment.max * 0.9, `${text.length}`);
    });
}

test('the documents for Jira Cloud are of its schema', { skip: noVendorData }, () => {
  const schema = JSON.parse(vendorData('adf-full.schema.json') ?? '{}') as Schema;
  for (const count of [6, 100, 500, 1000, 3000]) {
    const { body, more } = composeSummary(firstRun(count, 90), jiraRoom(3));
    for (const document of [toText(3, body, null), ...more.map((blocks) => toText(3, blocks, MARKER))]) {
      assert.equal(adfProblem(document), null);
      assert.deepEqual(problemsOf(schema, document, { root: schema, nulls: false }), []);
    }
  }
});

test('what is in a plain list can be read: images, what to update, which findings that fixes, exploited ones first', () => {
  const findings = [
    ...firstRun(400, 1).map((one) => ({ ...one, finding: { ...one.finding, knownExploited: false } })),
    describedFinding({ cve: 'CVE-2021-44228', dueDate: '2021-12-24', packages: [] }),
    describedFinding({
      cve: 'CVE-2026-7',
      knownExploited: false,
      packages: [
        { name: 'openssl', installed: '3.0.1', fixed: null },
        { name: 'libssl3', installed: '3.0.1', fixed: null },
      ],
    }),
    describedFinding({
      cve: 'CVE-2026-8',
      knownExploited: false,
      packages: [{ name: 'openssl', installed: '3.0.1', fixed: null }],
    }),
  ] as readonly Described[];
  const { body } = composeSummary(findings, jiraRoom(2));
  const [list] = body.flatMap((block) => (block.kind === 'code' ? [block.text] : []));
  assert.match(
    list ?? '',
    /^ghcr\.io\/acme\/web:1\.4\n  CVE-2021-44228 \(exploited, due 2021-12-24\), CVE-2026-7, CVE-2026-8\n123/,
  );
  const { body: roomy } = composeSummary(findings.slice(300), { ...jiraRoom(3) });
  const [compact] = roomy.flatMap((block) => (block.kind === 'code' ? [block.text] : []));
  assert.equal(
    compact?.split('\n').slice(0, 5).join('\n'),
    [
      `ghcr.io/acme/web:1.4  sha256:${'ab'.repeat(32)}  in shop`,
      '  package not known any more: CVE-2021-44228 (exploited, due 2021-12-24)',
      '  openssl 3.0.1 -> no fixed version yet: CVE-2026-7 (+1 package), CVE-2026-8',
      `123456789012.dkr.ecr.eu-central-1.amazonaws.com/payments/checkout-service-0:2026.11.21  sha256:${'0'.repeat(64)}  in payments, payments-canary`,
      '  com.fasterxml.jackson.core:jackson-databind-300 2.9.10.1 -> 2.9.10.4: CVE-2026-1000300',
    ].join('\n'),
  );
});
