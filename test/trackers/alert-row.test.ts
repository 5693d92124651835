import assert from 'node:assert/strict';
import { test } from 'node:test';
import { toBody } from '../../src/adapters/github/compose.ts';
import { composeAlert, composeAlertEnd } from '../../src/trackers/compose-alert.ts';
import { alertIn } from '../../src/trackers/filed.ts';
import { judgeFinding, toPlainText } from '../../src/trackers/index.ts';
import { digestOf } from '../store/image-records.ts';
import { NOW, openFinding, sweeps, trackingRow } from './rows.ts';
import { DAY, HOUR } from './virtual-clock.ts';

const SHELL = 'Terminal shell in container';

test('a row of runtime alerts ends after seven quiet days while the detector is heard, or with its image', () => {
  const week = 7 * DAY;
  const judge = (
    lastEventAt: number,
    heardAt: number | null,
    lastSeenAt = NOW,
  ): ReturnType<typeof judgeFinding> =>
    judgeFinding(
      openFinding(
        { scan: null, reported: false, heardAt, lastSeenAt },
        { kind: 'runtime', cve: SHELL, claimedAt: NOW - 9 * DAY, lastEventAt },
      ),
      sweeps({ prod: NOW }),
      NOW,
    );
  const open = { ended: null, withheld: null };
  assert.deepEqual(judge(NOW - week + 1, NOW), open);
  assert.deepEqual(judge(NOW - week, NOW), { ended: 'quiet' });
  assert.deepEqual(judge(NOW - week, NOW - DAY), { ended: 'quiet' });
  for (const heardAt of [NOW - DAY - 1, null]) {
    const verdict = judge(NOW - week, heardAt);
    assert.equal(verdict.ended, null);
    assert.match(
      String('withheld' in verdict && verdict.withheld),
      /the detector has sent nothing at all for 24 hours/,
    );
  }
  assert.deepEqual(judge(NOW - HOUR, NOW, NOW - 2 * DAY), { ended: 'image_retired' });
  assert.deepEqual(judge(NOW - week, null, NOW - 2 * DAY), { ended: 'image_retired' });
});

test('what a rule, an image and a workload are called can do nothing in the issue of an alert', () => {
  const rule = `x' ; rm -rf / #\n@team </code> ipo-1-${'a'.repeat(26)}`;
  const row = trackingRow({ kind: 'runtime', cve: rule, severity: '**Critical**' });
  const place = { cluster: 'prod', namespace: '@all', workload: '<img src=x>', last: NOW };
  const known = { digest: row.digest, rule, priority: '<b>', image: '@mallory/[x](http://evil)' };
  const { title, body } = composeAlert(row, {
    ...known,
    ...{ first: NOW - HOUR, last: NOW, count: 3, places: [place] },
  });
  assert.match(title, /^RUNTIME: x' /);
  assert.doesNotMatch(title, /\n/);
  const plain = toPlainText(body);
  assert.match(plain, new RegExp(`^ +ipo runtime events --image ${row.digest}$`, 'm'), 'without the rule');
  assert.match(plain, /Events: 3/);
  const shown = toBody(body, 'ipo-1-marker');
  assert.doesNotMatch(shown.replaceAll(/`[^`\n]*`/g, ''), /@(team|all|mallory)|<img|<b>|\]\(http:\/\/evil/);
  const ended = {
    row: { ...row, lastEventAt: NOW },
    reason: 'quiet',
    supersededBy: null,
    successorHasCve: null,
  } as const;
  const comment = toPlainText(
    composeAlertEnd({ issue: { key: 'a', url: '', id: '1' }, ended: [ended], remaining: 0, leftOpen: false }),
  );
  assert.match(comment, /ended as quiet: no event of the rule came from the image for 7 days/);
});

test('the issue of an alert is told by its title and digest after a restore', () => {
  const alerts = [
    { digest: digestOf(1), rule: 'Shell' },
    { digest: digestOf(1), rule: SHELL },
    { digest: digestOf(2), rule: SHELL },
  ];
  assert.equal(alertIn(`RUNTIME: ${SHELL} in app\n${digestOf(2)}`, alerts), alerts[2]);
  assert.equal(alertIn(`RUNTIME: Shell in app\n${digestOf(1)}`, alerts), alerts[0]);
  assert.equal(alertIn(`CVE-1: ${SHELL} in app\n${digestOf(1)}`, alerts), null);
  assert.equal(alertIn(`RUNTIME: ${SHELL} in app\n${digestOf(3)}`, alerts), null);
});
