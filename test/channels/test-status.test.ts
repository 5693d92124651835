import assert from 'node:assert/strict';
import { test } from 'node:test';
import { tellTest } from '../../src/channels/index.ts';

const NOW = Date.UTC(2026, 10, 21, 9);
const SAID = { works: false, sentence: 'api.github.com asks to call less often (429)', hints: [] };

test('a test that met a limit says when it ends, and does not fail', () => {
  assert.deepEqual(tellTest({ ...SAID, limitedMs: 30 * 60_000 }, NOW), {
    status: 'limited',
    detail:
      'api.github.com asks to call less often (429); the limit ends at 2026-11-21 09:30:00 UTC, in 30 minutes',
    limitedUntil: NOW + 30 * 60_000,
  });
  assert.match(tellTest({ ...SAID, limitedMs: 1000 }, NOW).detail, /in 1 second$/);
  assert.deepEqual(tellTest(SAID, NOW), { status: 'fails', detail: SAID.sentence, limitedUntil: null });
});
