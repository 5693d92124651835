import assert from 'node:assert/strict';
import { test } from 'node:test';
import { TrackerError, type IssueRef, type IssueTracker } from '../../src/trackers/index.ts';
import { MARKERS, openTracker, paragraph, start, targetOf } from './tracker-parts.ts';

const DRAFT = { title: 'CVE-2026-1', body: [paragraph('found')], labels: [], marker: MARKERS[0] };

async function refused(tracker: IssueTracker, ref: IssueRef): Promise<void> {
  await assert.rejects(tracker.read(ref), (error) => {
    assert.ok(error instanceof TrackerError);
    assert.equal(error.fault, 'not_found');
    assert.match(error.message, /is another issue than the one that was opened/);
    return true;
  });
}

for (const kind of ['github', 'github-enterprise', 'gitlab'] as const)
  test(`${kind}: an issue of the same name that is not the one that was opened is not taken for it`, async (t) => {
    const fake = await start(t, kind);
    const tracker = openTracker(fake);
    const ref = await tracker.create(targetOf(fake), DRAFT);
    // The repository was made anew under its name, or the channel leads to another host by now.
    await refused(tracker, { ...ref, id: `${Number(ref.id) + 1}` });
    // A release before 1.3.7 kept no number.
    assert.deepEqual(await tracker.read({ ...ref, id: ref.key }), { state: 'open' });
  });

for (const kind of ['jira-cloud', 'jira-gateway', 'jira-datacenter'] as const)
  test(`${kind}: an issue of another site that has the number is not taken for one that was moved`, async (t) => {
    const fake = await start(t, kind);
    const tracker = openTracker(fake);
    const ref = await tracker.create(targetOf(fake), DRAFT);
    const elsewhere = 'https://another.example/browse/OPS-9';
    await refused(tracker, { key: 'OPS-9', url: elsewhere, id: ref.id });
    await refused(tracker, { key: ref.key, url: elsewhere.replace('OPS-9', ref.key), id: ref.key });
    const moved = await tracker.read({ key: 'OPS-9', url: ref.url.replace(ref.key, 'OPS-9'), id: ref.id });
    assert.deepEqual(moved, { state: 'open', movedTo: ref });
    // The site itself has another address by now.
    assert.deepEqual(await tracker.read({ ...ref, url: elsewhere.replace('OPS-9', ref.key) }), {
      state: 'open',
    });
  });
