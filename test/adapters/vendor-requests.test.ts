import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FAKE_KINDS } from '../../fakes/index.ts';
import { checkByVendor, noVendorData } from '../fakes/vendor.ts';
import { BODY, MARKERS, openTracker, start, targetOf } from './tracker-parts.ts';

for (const kind of FAKE_KINDS) {
  test(
    `${kind}: every request that we make is one of the vendor's own document`,
    { skip: noVendorData },
    async (t) => {
      const fake = await start(t, kind);
      const tracker = openTracker(fake);
      assert.equal((await tracker.test()).works, true);
      const ref = await tracker.create(targetOf(fake), {
        title: 'CVE-2026-1',
        body: BODY,
        labels: ['security'],
        marker: MARKERS[0],
      });
      await tracker.find(targetOf(fake), MARKERS[0], 0);
      await tracker.filed(targetOf(fake), 0);
      await tracker.read(ref);
      await tracker.comment(ref, { body: BODY, marker: MARKERS[1] });
      await tracker.commentMarkers(ref, 0);
      await tracker.commentTexts(ref);
      await tracker.close(ref, 'triaged');
      const { problems, covered } = checkByVendor(fake);
      assert.deepEqual(problems, []);
      assert.ok(covered.size >= 6, [...covered].join(', '));
      assert.deepEqual(fake.violations, []);
    },
  );
}
