import assert from 'node:assert/strict';
import { test } from 'node:test';
import { DIGEST, trackingRow } from '../trackers/findings.ts';
import { candidates, serveTracking } from './served-tracking.ts';

test('a preview prints the issue that would be filed, and nothing is filed', async (t) => {
  const served = await serveTracking(t);
  assert.match((await served.as('viewer', 'channel', 'preview', 'hub')).out, /Nothing waits/);
  served.waiting.candidates = candidates(2);
  const { out, code, err } = await served.as('viewer', 'channel', 'preview', 'hub');
  assert.equal(code, 0, err);
  assert.match(
    out,
    /in: +example\/app \(the default of the channel; the label of the image names no repository\)/,
  );
  assert.match(out, /labels: +security\n/);
  assert.match(out, /title: +CVE-2026-1000: openssl\[31m 3\.0\.1 in ghcr\.io\/acme\/web:1\.4\n/);
  assert.match(out, /fix it by 2026-11-21 06:00 UTC/);
  assert.ok(!out.includes('\u001b'));
  served.waiting.candidates = candidates(6);
  assert.match((await served.as('viewer', 'channel', 'preview', 'hub')).out, /summary: of 6 findings/);
  const one = await served.as(
    'viewer',
    'channel',
    'preview',
    'hub',
    '--image',
    DIGEST,
    '--cve',
    'CVE-2026-1005',
  );
  assert.match(one.out, /title: +CVE-2026-1005/);
  const none = await served.as(
    'viewer',
    'channel',
    'preview',
    'hub',
    '--image',
    DIGEST,
    '--cve',
    'CVE-2026-4040',
  );
  assert.match(none.err, /does not report CVE-2026-4040/);
  assert.equal((await served.as('viewer', 'channel', 'preview', 'hub', '--cve', 'CVE-2026-1005')).code, 2);
  assert.match(
    (await served.as('viewer', 'channel', 'preview', 'chat')).err,
    /chat is a channel of the kind slack; only trackers \(github, gitlab, jira\) open issues/,
  );
});

test('a plan tells how many issues a run opens, and how long the cap holds the rest back', async (t) => {
  const served = await serveTracking(t);
  served.waiting.candidates = candidates(35);
  const first = await served.as('viewer', 'channel', 'plan', 'hub');
  assert.match(first.out, /35 critical findings that no channel has filed/);
  assert.match(first.out, /first run +opens 1 summary issue of 35 findings/);
  assert.match(first.out, /until all are filed +one run/);
  assert.doesNotMatch(first.out, /in trouble/);
  served.rows.push(trackingRow({ channelId: served.channel.id, lastError: 'refused' }));
  const troubled = await served.as('viewer', 'channel', 'plan', 'hub');
  assert.match(troubled.out, /in trouble +1 finding of its own; ipo tracking list --failed/);
  assert.deepEqual(served.filters.at(-1), { channelId: served.channel.id, state: 'open', failed: true });
  served.waiting.candidates = candidates(5);
  served.waiting.opened = 8;
  const capped = await served.as('viewer', 'channel', 'plan', 'hub', '-o', 'json');
  assert.deepEqual(JSON.parse(capped.out), {
    candidates: 5,
    alerts: 0,
    alert_issues: 0,
    findings: 2,
    issues: 2,
    summary: false,
    waiting: 3,
    days: 1,
    issues_in_all: 5,
    first_run: true,
    opened: 8,
    daily_cap: 10,
    files: true,
  });
  // Alerts are filed before findings, and count under the same cap.
  served.waiting.alerts = [
    { digest: DIGEST, rule: 'Terminal shell in container' },
    { digest: DIGEST, rule: 'Read sensitive file untrusted' },
    { digest: DIGEST, rule: 'Drop and execute new binary in container' },
  ];
  const alerted = await served.as('viewer', 'channel', 'plan', 'hub', '-o', 'json');
  const { alerts, alert_issues, issues, waiting, opened } = JSON.parse(alerted.out) as Record<string, number>;
  assert.deepEqual([alerts, alert_issues, issues, waiting, opened], [3, 2, 0, 5, 8]);
  const shown = await served.as('viewer', 'channel', 'plan', 'hub');
  assert.match(
    shown.out,
    /runtime alerts +3 alerts that no channel has filed; the next run opens 2 issues for them, before findings/,
  );
});
