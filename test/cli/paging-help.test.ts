import assert from 'node:assert/strict';
import { test } from 'node:test';
import { EVENTS_SHOWN } from '../../bin/runtime/events.ts';
import { DELIVERIES_PAGE, MAX_DELIVERIES } from '../../src/api/contract/notifications.ts';
import { EVENTS_PAGE } from '../../src/api/contract/runtime.ts';
import { ipo } from './fake-terminal.ts';

/** What the help of `--limit` says of lists that are not given whole. */
const LIMITS: Readonly<Record<string, string>> = {
  'runtime events': `1 to ${EVENTS_PAGE} (default: ${EVENTS_SHOWN};`,
  'channel deliveries': `1 to ${MAX_DELIVERIES} (default: ${DELIVERIES_PAGE})`,
};

for (const [command, said] of Object.entries(LIMITS)) {
  test(`ipo ${command}: --limit says how many there are without it, and takes no more than a page has`, async () => {
    const { out } = await ipo([...command.split(' '), '--help']);
    assert.ok(out.replaceAll(/\s+/g, ' ').includes(said), out);
    const { code, err } = await ipo([
      ...command.split(' '),
      ...(command.startsWith('c') ? ['x'] : []),
      '--limit',
      '1001',
    ]);
    assert.equal(code, 2);
    assert.match(err, /--limit/);
  });
}
