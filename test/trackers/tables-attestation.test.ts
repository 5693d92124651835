import assert from 'node:assert/strict';
import { test } from 'node:test';
import { summariseHistory, type History } from '../../src/trackers/index.ts';
import { trackingHistory } from '../../src/store/tracking/history.ts';
import { forEachEngine } from '../store/engines.ts';
import { desksOf, type Desk } from './tables-world.ts';
import { DAY, HOUR, MINUTE } from './virtual-clock.ts';

const WINDOW = 24 * HOUR;

/** What the evidence says of what filing and sweeps left behind, over all of it. */
async function historyOf(desk: Desk, window: number | null = WINDOW): Promise<History> {
  const { store, clock } = desk.world;
  const { items } = await trackingHistory(store).list({}, { limit: null, offset: 0 });
  const { total } = await desk.joined.channels.list({ limit: null, offset: 0 });
  const asOf = clock.now();
  return summariseHistory(items, { from: asOf - 90 * DAY, to: asOf, asOf, window, connected: total > 0 });
}

forEachEngine('Remediation-windows attestation', (engine) => {
  const open = desksOf(engine);

  /** Files findings of the n-th image, and has each fixed after so many hours. */
  async function fix(desk: Desk, image: number, hours: readonly number[]): Promise<void> {
    const { world } = desk;
    const cves = hours.map((_, n) => `CVE-${n}`);
    await world.scan(image, cves);
    await desk.file();
    const began = world.clock.now();
    for (const [n, hour] of hours.entries()) {
      world.clock.advance(Math.max(0, began + hour * HOUR - MINUTE - world.clock.now()));
      await world.scan(image, cves.slice(n + 1));
      await desk.sweep();
    }
  }

  test('gap: "No remediation window is declared."', async (t) => {
    const desk = await open(t);
    await desk.channel('github');
    await fix(desk, 1, [1]);
    assert.equal((await historyOf(desk, null)).remediation.state, 'gap');
  });

  test('partial: "No tracker is connected."', async (t) => {
    const desk = await open(t);
    assert.equal((await historyOf(desk)).remediation.state, 'partial');
  });

  test('partial: "A tracker is connected and nothing was raised, or nothing raised has been fixed."', async (t) => {
    const desk = await open(t);
    const { world } = desk;
    await desk.channel('gitlab');
    const nothing = await historyOf(desk);
    assert.deepEqual([nothing.opened, nothing.remediation.state], [0, 'partial']);
    await world.seen(2, world.clock.now());
    await world.scan(1, ['CVE-1', 'CVE-2']);
    await world.scan(2, ['CVE-1']);
    await desk.file();
    const raised = await historyOf(desk);
    assert.deepEqual([raised.opened, raised.stillOpen, raised.remediation.state], [3, 3, 'partial']);
    // "Only `fixed` counts as remediation."
    await world.triage(1, 'CVE-1', world.clock.now() + 9 * DAY);
    world.clock.advance(DAY);
    await world.swept('prod', world.clock.now());
    await desk.sweep();
    const { closed, remediation } = await historyOf(desk);
    assert.deepEqual([closed.fixed, remediation.state], [0, 'partial']);
    assert.ok(closed.triaged === 1 && closed.image_retired >= 1);
  });

  test('gap: "Findings were fixed but none inside the declared window."', async (t) => {
    const desk = await open(t);
    await desk.channel('jira-cloud');
    await fix(desk, 1, [25, 30]);
    const { closed, fixedInside, remediation } = await historyOf(desk);
    assert.deepEqual([closed.fixed, fixedInside, remediation.state], [2, 0, 'gap']);
  });

  test('partial: "Some fixes were inside the window and some late."', async (t) => {
    const desk = await open(t);
    await desk.channel('jira-gateway');
    await fix(desk, 1, [23, 25]);
    const { fixedInside, fixedLate, remediation } = await historyOf(desk);
    assert.deepEqual([fixedInside, fixedLate, remediation.state], [1, 1, 'partial']);
  });

  test('met: "Every fixed critical finding raised in the period was fixed inside the window, and at least one was."', async (t) => {
    const desk = await open(t);
    await desk.channel('jira-datacenter');
    await fix(desk, 1, [1, 24]);
    await desk.world.scan(2, ['CVE-9']);
    await desk.file();
    const { fixedInside, stillOpen, remediation } = await historyOf(desk);
    assert.deepEqual([fixedInside, stillOpen, remediation.state], [2, 1, 'met']);
  });

  test('the `issues` section: counts of opened, still open, closed by the three reasons and fixed inside the window, and a row with hours open for each', async (t) => {
    const desk = await open(t);
    const { world } = desk;
    const { fake } = await desk.channel('github-enterprise');
    await fix(desk, 1, [2, 30]);
    await world.scan(2, ['CVE-7', 'CVE-8']);
    await desk.file();
    await world.triage(2, 'CVE-7', world.clock.now() + 9 * DAY);
    await desk.sweep();
    world.clock.advance(HOUR);
    const history = await historyOf(desk);
    assert.deepEqual(
      [history.opened, history.stillOpen, history.closed, history.fixedInside],
      [4, 1, { fixed: 2, triaged: 1, image_retired: 0 }, 1],
    );
    assert.deepEqual(
      history.entries.map(({ cve, reason, hoursOpen }) => [cve, reason, Math.round(hoursOpen)]),
      [
        ['CVE-0', 'fixed', 2],
        ['CVE-1', 'fixed', 30],
        ['CVE-7', 'triaged', 0],
        ['CVE-8', null, 1],
      ],
    );
    for (const { issueUrl, image, opened } of history.entries) {
      assert.ok(issueUrl.startsWith(`${fake.webUrl}/acme/shop/issues/`));
      assert.match(image ?? '', /^docker\.io\/team\/app[12]:1$/);
      assert.ok(opened > 0);
    }
  });
});
