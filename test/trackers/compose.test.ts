import assert from 'node:assert/strict';
import { test } from 'node:test';
import { githubRoom } from '../../src/adapters/github/index.ts';
import { toAdf, toMarkdown, toWiki } from '../../src/adapters/markup/index.ts';
import { loadAdapters, textRoomsOf } from '../../src/app/trackers/adapters.ts';
import {
  composeFor,
  describeAll,
  openIssueWriter,
  type WriterDeps,
} from '../../src/trackers/compose.service.ts';
import { composeComment } from '../../src/trackers/compose-comment.ts';
import { composeIssue } from '../../src/trackers/compose-issue.ts';
import { findingKey } from '../../src/trackers/compose-ports.ts';
import { composeSummary } from '../../src/trackers/compose-summary.ts';
import type { Block } from '../../src/text/index.ts';
import { githubChannel, jiraChannel } from './channels.ts';
import { AT, describedFinding, DIGEST, knownImage, trackingRow } from './findings.ts';

const textRooms = textRoomsOf(await loadAdapters());

/** A text as a person reads it: escapes and what has no width are gone. */
function read(blocks: readonly Block[]): string {
  return toMarkdown(blocks, 'ipo-1-realrealrealrealrealrealre', 65_536)
    .replaceAll(/\\([!-/:-@[-`{-~])/g, '$1')
    .replaceAll('\u200b', '');
}

test('an issue tells what it is, what repairs it and until when, where it runs, and what to do', () => {
  const { title, body } = composeIssue(describedFinding({ dueDate: '2026-12-01' }));
  assert.equal(title, 'CVE-2026-1001: openssl 3.0.1 in ghcr.io/acme/web:1.4');
  const text = read(body);
  for (const part of [
    '[CVE-2026-1001](https://nvd.nist.gov/vuln/detail/CVE-2026-1001) (CRITICAL) is in the image `ghcr.io/acme/web:1.4`. It was found by Trivy 0.58.0 on 2026-11-20 05:59 UTC.',
    'lists it, due on 2026-12-01.',
    'The declared window for critical findings is 24h: fix it by 2026-11-21 06:00 UTC.',
    '| `openssl` | `3.0.1` | `3.0.2` |',
    '| `east` | `shop` | `Deployment/web` | 2026-11-19 06:00 UTC |',
    `- Digest: \`${DIGEST}\``,
    '- Source: `https://github.com/acme/web`',
    '- Admission: row 4711 of the ledger, 2026-11-20 05:00 UTC',
    `ipo triage add ${DIGEST} CVE-2026-1001 --reason 'WHY IT DOES NOT COUNT' --for 720h`,
    'once the finding ends: fixed, triaged or image_retired.',
  ])
    assert.ok(text.includes(part), `${part}\nis not in\n${text}`);
});

const LAYER = `sha256:57fb71246055${'a'.repeat(52)}`;
const VECTOR = 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H';
const TOLD = describedFinding({
  advisory: {
    title: 'openssl: @all overflow in <b>X.509</b> parsing',
    url: 'https://avd.aquasec.com/nvd/cve-2026-1001',
    cvss: { version: '3.1', score: 9.8, vector: VECTOR, source: 'nvd' },
  },
  packages: [
    {
      ...{ name: 'openssl', installed: '3.0.1', fixed: '3.0.2' },
      foundAt: [
        { target: 'web:1.4 (debian 13.4)', path: null, layer: LAYER },
        { target: 'Node.js', path: 'app/node_modules/openssl/package.json', layer: LAYER },
      ],
      morePlaces: 14,
    },
    { name: 'libssl', installed: '3.0.1', fixed: null },
  ],
});

test('an issue tells the title, the rating, where in the image it is, and the advisory, in each tracker', () => {
  const { body } = composeIssue(TOLD);
  const text = read(body);
  for (const part of [
    '- Title: `openssl: @all overflow in <b>X.509</b> parsing`',
    `- CVSS: 9.8 (version 3.1, rated by \`nvd\`), \`${VECTOR}\``,
    '- Advisory: [avd.aquasec.com/nvd/cve-2026-1001](https://avd.aquasec.com/nvd/cve-2026-1001)',
    '| Package | Installed | Fixed in | In the image | Layer |',
    '| `openssl` | `3.0.1` | `3.0.2` | `web:1.4 (debian 13.4)`, `app/node_modules/openssl/package.json` and 14 more | `sha256:57fb71246055` |',
    '| `libssl` | `3.0.1` | no version yet | – | – |',
  ])
    assert.ok(text.includes(part), `${part}\nis not in\n${text}`);
  const wiki = toWiki(body, null, 32_767);
  assert.ok(
    wiki.includes('[avd.aquasec.com/nvd/cve\\-2026\\-1001|https://avd.aquasec.com/nvd/cve-2026-1001]'),
    wiki,
  );
  const adf = JSON.stringify(toAdf(body, null, 32_767));
  assert.ok(adf.includes('{"href":"https://avd.aquasec.com/nvd/cve-2026-1001"}'), adf);
  assert.ok(adf.includes('"Layer"') && adf.includes(VECTOR), adf);
});

test('an address that a tracker would take for a reference is shown, and leads nowhere', () => {
  for (const url of [
    'https://github.com/acme/web/issues/1',
    'https://github.com/acme/web/%69ssues/1',
    'https://gitlab.com/acme/web/-/merge_requests/1',
    'https://gitlab.com/acme/web/%69ssues/1/%zz',
    'https://gitlab.com/acme/web/%69ssues/1/%ff',
    'https://github.com/acme/web/commit/0123456789abcdef',
    'https://acme.atlassian.net/browse/SHOP-1',
    'http://nvd.nist.gov/vuln/detail/CVE-2026-1001',
    'javascript:alert(1)',
  ]) {
    const { body } = composeIssue(describedFinding({ advisory: { title: null, url, cvss: null } }));
    const links = body.flatMap((block) =>
      block.kind === 'list' ? block.items.flat().filter(({ kind }) => kind === 'link') : [],
    );
    assert.deepEqual(links, [], url);
    assert.match(read(body), /- Advisory: `/);
  }
});

test('what is not known is said, or left out', () => {
  const text = read(
    composeIssue({
      ...describedFinding({ window: null, knownExploited: null }),
      image: null,
      finding: null,
    }).body,
  );
  assert.match(text, /No remediation window for critical findings is declared\./);
  assert.match(text, /neither admitted nor seen running/);
  assert.match(text, /the ledger has no decision on it yet/);
  assert.doesNotMatch(text, /KEV|What to change|Source/);
  const admitted = read(
    composeIssue(
      describedFinding({
        image: { workloads: [], namespaces: Array.from({ length: 12 }, (_, n) => `ns-${n}`) },
        packages: [{ name: 'zlib', installed: '1', fixed: null }],
      }),
    ).body,
  );
  assert.match(
    admitted,
    /It was admitted in `ns-0`, .*`ns-9` and 2 more; no workload was seen running it yet\./,
  );
  assert.match(admitted, /\| `zlib` \| `1` \| no version yet \|/);
});

test('an id that a shell could read otherwise stands in no command', () => {
  const text = read(composeIssue(describedFinding({ cve: "x'; rm -rf ~ #" })).body);
  assert.doesNotMatch(text, /ipo triage/);
});

test('a summary lists every finding by its image, those that are exploited first', () => {
  const other = `sha256:${'cd'.repeat(32)}`;
  const findings = [
    ...['CVE-2026-1002', 'CVE-2026-1003', 'CVE-2026-1004'].map((cve) =>
      describedFinding({ cve, knownExploited: false }),
    ),
    { ...describedFinding({ cve: 'CVE-2026-1009', dueDate: '2026-12-01' }), digest: other },
  ];
  const { title, body } = composeSummary(findings, githubRoom);
  assert.equal(title, '4 critical findings in 2 images');
  const text = read(body);
  assert.match(text, /found 4 critical findings, open in 2 images\./);
  assert.match(text, /1 of them is exploited/);
  assert.match(text, /yes, due on 2026-12-01/);
  assert.match(text, /fix it by 2026-11-21 06:00 UTC/);
  assert.ok(text.indexOf('CVE-2026-1009') < text.indexOf('CVE-2026-1002'));
  for (const { cve } of findings) assert.equal(text.split(`[${cve}]`).length, 2, cve);
});

test('a comment names each reason in the words of the row, and how many remain', () => {
  const issue = { key: 'acme/web#7', url: '', id: '7' };
  const none = { supersededBy: null, successorHasCve: null };
  const text = read(
    composeComment({
      issue,
      ended: [
        { row: trackingRow(), reason: 'fixed', ...none },
        { row: trackingRow({ cve: 'CVE-2026-1002' }), reason: 'triaged', ...none },
        {
          row: trackingRow({ cve: 'CVE-2026-1003' }),
          reason: 'image_retired',
          supersededBy: DIGEST,
          successorHasCve: false,
        },
      ],
      remaining: 2,
      leftOpen: false,
    }),
  );
  assert.match(text, /3 findings of this issue ended\./);
  assert.match(text, /CVE-2026-1001\).* in `ghcr\.io\/acme\/web:1\.4`: `fixed`\n/);
  assert.match(text, /CVE-2026-1002\).*: `triaged`\n/);
  assert.match(
    text,
    /`image_retired`: .*does not count as a fix\.[^]*CVE-2026-1003\).*: `image_retired`\n[^]*The same workload runs `sha256:\w+` now, which does not have it\./,
  );
  assert.match(text, /2 findings remain; this issue stays open/);
});

test('the last comment says that the issue is closed, or that Jira leaves it open', () => {
  const plan = {
    issue: { key: 'SEC-1', url: '', id: '1' },
    ended: [{ row: trackingRow(), reason: 'fixed', supersededBy: null, successorHasCve: null }],
    remaining: 0,
  } as const;
  const closed = read(composeComment({ ...plan, leftOpen: false }));
  assert.match(closed, /^A finding of this issue ended\. None remains; this issue is closed\.\n/);
  assert.match(
    read(composeComment({ ...plan, leftOpen: true })),
    /The channel has no doneTransitionId, so this issue is left open: please close it by hand\./,
  );
  assert.match(read(composeComment({ ...plan, remaining: 1, leftOpen: false })), /One finding remains/);
});

/** Parts that know one image and count how often they are asked. */
function makeDeps(
  source: string | null = 'https://github.com/acme/web',
): WriterDeps & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    rooms: textRooms,
    facts: {
      images: async (digests) => {
        asked.push(`images ${digests.length}`);
        return new Map(digests.map((digest) => [digest, knownImage({ source })]));
      },
      findings: async (names) => {
        asked.push(`findings ${names.length}`);
        const packages = [{ name: 'openssl', installed: '3.0.1', fixed: null }];
        return new Map(names.map((name) => [findingKey(name), { packages, knownExploited: true }]));
      },
      alert: async () => null,
    },
    terms: {
      criticalWindow: async (namespaces) => {
        asked.push(`window ${namespaces.join(' ')}`);
        return 3_600_000;
      },
      dueDates: async (cves) => new Map(cves.map((cve) => [cve, '2026-12-01'])),
    },
  };
}

test('the writer routes an issue by the label of its image, with the labels of the channel', async () => {
  const writer = openIssueWriter(makeDeps());
  const plan = await writer.open(githubChannel(), [trackingRow()], false, null);
  assert.equal(plan.target, 'acme/web');
  assert.deepEqual(plan.labels, ['security']);
  assert.deepEqual(Object.keys(plan).toSorted(), ['body', 'by', 'labels', 'more', 'target', 'title']);
  assert.match(read(plan.body), /due on 2026-12-01/);
  assert.equal((await writer.open(jiraChannel(), [trackingRow()], false, null)).target, 'SEC');
  const none = openIssueWriter(makeDeps(null));
  assert.equal((await none.open(githubChannel(), [trackingRow()], false, null)).target, 'acme/inbox');
});

test('a summary goes where all its images lead, else to the default; a thousand findings ask for everything once', async () => {
  const deps = makeDeps();
  const rows = Array.from({ length: 1000 }, (_, n) => ({
    digest: `sha256:${String(n % 10).repeat(64)}`,
    cve: `CVE-2026-${n}`,
    severity: 'CRITICAL',
    at: AT,
  }));
  const described = await describeAll(rows, deps);
  assert.deepEqual(deps.asked, ['images 10', 'findings 1000', 'window shop']);
  assert.equal(composeFor(githubChannel(), described, true, textRooms).target, 'acme/web');
  const [first, ...others] = described;
  assert.ok(first);
  const mixed = [{ ...first, image: knownImage({ source: null }) }, ...others];
  const { target, by, refused } = composeFor(githubChannel(), mixed, true, textRooms);
  assert.deepEqual({ target, by, refused }, { target: 'acme/inbox', by: 'default', refused: null });
});
