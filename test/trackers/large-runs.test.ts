import assert from 'node:assert/strict';
import { test } from 'node:test';
import { issueFacts } from '../../src/store/tracking/issue-facts.ts';
import { loadAdapters, textRoomsOf } from '../../src/app/trackers/adapters.ts';
import { openIssueWriter } from '../../src/trackers/index.ts';
import { forEachEngine } from '../store/engines.ts';
import { scanMany } from './many-scans.ts';
import { MINUTE } from './virtual-clock.ts';
import { BEGIN, worldsOf } from './world.ts';

const textRooms = textRoomsOf(await loadAdapters());

/** Ten critical findings that each image has. */
const FINDINGS = Array.from({ length: 10 }, (_, at) => ({
  cve: `CVE-2026-${1000 + at}`,
  package: 'openssl',
}));

/** How often the process could turn to something else meanwhile. */
async function turnsOf(act: () => Promise<void>): Promise<number> {
  let turns = 0;
  let on = true;
  const turn = (): void => {
    turns += 1;
    if (on) setImmediate(turn);
  };
  setImmediate(turn);
  await act();
  on = false;
  return turns;
}

forEachEngine('thousands of findings at once', (engine) => {
  const open = worldsOf(engine);
  // PostgreSQL does its work elsewhere; what is held here is that the statements are the same.
  const images = engine.name === 'sqlite' ? 500 : 40;
  const findings = 10 * images;

  test('a first run files them in one summary, sweeps and counts them, and lets the process answer others all along', async () => {
    const world = await open();
    const fake = await world.channel('main');
    await scanMany(world.store, images, FINDINGS);
    const terms = { criticalWindow: async () => null, dueDates: async () => new Map<string, string>() };
    Object.assign(world.process.parts, {
      writer: openIssueWriter({ facts: issueFacts(world.store), terms, rooms: textRooms }),
    });
    const filed = await turnsOf(() => world.file());
    assert.deepEqual(
      fake.issues.map(({ title }) => title),
      [`${findings} critical findings in ${images} images`],
    );
    const rows = await world.rows();
    assert.equal(rows.length, findings);
    assert.equal(new Set(rows.map(({ marker }) => marker)).size, 1);
    assert.equal(new Set(rows.map(({ digest, cve }) => `${digest} ${cve}`)).size, findings);
    assert.equal((await world.channelState('main')).firstRunAt, BEGIN);
    // The claim, in parts of 128; the text, in parts of 64 images; the walk over findings.
    assert.ok(filed >= findings / 128 + images / 64, `${filed} turns`);
    world.clock.advance(10 * MINUTE);
    const swept = await turnsOf(() => world.sweep());
    assert.ok(swept >= findings / 500, `${swept} turns`);
    // One issue; what it has no room for is in comments.
    const [create, ...rest] = fake.calls;
    assert.deepEqual(
      [create, ...new Set(rest)],
      ['create', ...(engine.name === 'sqlite' ? ['read', 'comment'] : [])],
    );
  });
});
